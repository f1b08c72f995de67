import type { S3Client } from '@aws-sdk/client-s3'
import type { z } from 'zod'
import { createBucketDocuments } from '../cloud/bucket-documents.ts'

interface Folders<Place> {
  s3: S3Client
  bucket: string
  /** Without a slash at its end. */
  folderOf: (place: Place) => string
}

/**
 * What the steps of a machine pass to each other, as JSON in a bucket, because Step Functions carries at most 256 KiB.
 * Written again, a document says the same.
 */
export const createDocuments = <Schemas extends Record<string, z.ZodType>, Place>(
  schemas: Schemas,
  { s3, bucket, folderOf }: Folders<Place>,
) => {
  type Name = keyof Schemas & string
  type Content<Of extends Name> = z.infer<Schemas[Of]>
  const documents = createBucketDocuments(s3, bucket)
  const keyOf = (place: Place, name: Name, item?: number): string =>
    `${folderOf(place)}/${name}${item === undefined ? '' : `-${item}`}.json`
  // The schema is that of the name.
  const schemaOf = <Of extends Name>(name: Of) => schemas[name] as unknown as z.ZodType<Content<Of>>

  const find = <Of extends Name>(place: Place, name: Of, item?: number): Promise<Content<Of> | undefined> =>
    documents.readAs(keyOf(place, name, item), schemaOf(name))

  return {
    find,

    /** One that an earlier step has written. `item`: which of several. */
    async read<Of extends Name>(place: Place, name: Of, item?: number): Promise<Content<Of>> {
      const found = await find(place, name, item)
      if (found === undefined) throw new Error(`There is no document ${keyOf(place, name, item)}`)
      return found
    },

    async write<Of extends Name>(place: Place, name: Of, content: Content<Of>, item?: number): Promise<void> {
      await documents.write(keyOf(place, name, item), content, 'any')
    },

    /** Writes one that may be another one each time: the first holds. Resolves to that. */
    decide: <Of extends Name>(place: Place, name: Of, content: Content<Of>): Promise<Content<Of>> =>
      documents.decide(keyOf(place, name), content, schemaOf(name)),
  }
}
