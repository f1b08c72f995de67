import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { z } from 'zod'

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
  const keyOf = (place: Place, name: Name, item?: number): string =>
    `${folderOf(place)}/${name}${item === undefined ? '' : `-${item}`}.json`

  const find = async <Of extends Name>(
    place: Place,
    name: Of,
    item?: number,
  ): Promise<Content<Of> | undefined> => {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(place, name, item) }))
      const content: unknown = JSON.parse((await Body?.transformToString()) ?? '')
      // The schema is that of the name.
      return schemas[name]?.parse(content) as Content<Of>
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }

  /** One that an earlier step has written. `item`: which of several. */
  const read = async <Of extends Name>(place: Place, name: Of, item?: number): Promise<Content<Of>> => {
    const found = await find(place, name, item)
    if (found === undefined) throw new Error(`There is no document ${keyOf(place, name, item)}`)
    return found
  }

  const put = (place: Place, name: Name, content: unknown, item?: number) =>
    new PutObjectCommand({
      Bucket: bucket,
      Key: keyOf(place, name, item),
      Body: JSON.stringify(content),
      ContentType: 'application/json',
    })

  return {
    find,
    read,

    async write<Of extends Name>(place: Place, name: Of, content: Content<Of>, item?: number): Promise<void> {
      await s3.send(put(place, name, content, item))
    },

    /** Writes one that may be another one each time: the first holds. Resolves to that. */
    async decide<Of extends Name>(place: Place, name: Of, content: Content<Of>): Promise<Content<Of>> {
      const command = put(place, name, content)
      command.input.IfNoneMatch = '*'
      try {
        await s3.send(command)
      } catch (error) {
        // 412: another run of the same step was first.
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
        if (status !== 412) throw error
      }
      return read(place, name)
    },
  }
}
