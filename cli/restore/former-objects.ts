import {
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'

/** Objects of a bucket that keeps versions. */
export interface FormerObjects {
  /** Keys of the objects that are there. */
  readonly present: ReadonlySet<string>
  /** Keys of deleted objects of which a version is left. */
  readonly deleted: ReadonlyMap<string, DeletedObject>
}

interface DeletedObject {
  readonly key: string
  /** The newest version. */
  readonly versionId: string
  /** The delete markers above it. */
  readonly markers: readonly string[]
}

/** Where tables and long texts are. */
const PREFIXES = ['tables/', 'documents/']

/** Lists all versions, newest first of each key. Holds all keys in memory: some hundred bytes each. */
export const findFormerObjects = async (s3: S3Client, bucket: string): Promise<FormerObjects> => {
  const present = new Set<string>()
  const deleted = new Map<string, DeletedObject>()
  const markersOf = new Map<string, string[]>()
  for (const prefix of PREFIXES)
    for await (const page of versionPages(s3, bucket, prefix)) {
      for (const { Key = '', VersionId = '' } of page.DeleteMarkers ?? [])
        markersOf.set(Key, [...(markersOf.get(Key) ?? []), VersionId])
      for (const { Key: key = '', VersionId: versionId = '', IsLatest } of page.Versions ?? [])
        if (IsLatest) present.add(key)
        // Of the versions of a key the newest is listed first.
        else if (!present.has(key) && !deleted.has(key)) deleted.set(key, { key, versionId, markers: [] })
    }
  // A page may end between the markers of a key and its versions.
  for (const [key, found] of deleted) deleted.set(key, { ...found, markers: markersOf.get(key) ?? [] })
  return { present, deleted }
}

async function* versionPages(
  s3: S3Client,
  Bucket: string,
  Prefix: string,
): AsyncGenerator<ListObjectVersionsCommandOutput> {
  let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {}
  for (;;) {
    const page = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix, ...markers }))
    yield page
    if (!page.IsTruncated) return
    markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
  }
}

/** From here on the client reads a deleted object as it was. */
export const readFormerObjects = (s3: S3Client, { deleted }: FormerObjects): void =>
  s3.middlewareStack.add(
    (next, { commandName }) =>
      args => {
        const { input } = args
        const key = 'Key' in input ? input.Key : undefined
        const former = commandName === 'GetObjectCommand' && key !== undefined ? deleted.get(key) : undefined
        return next(former ? { ...args, input: { ...input, VersionId: former.versionId } } : args)
      },
    { step: 'initialize', name: 'readFormerObjects' },
  )

/** S3 API Reference, "DeleteObjects". */
const KEYS_IN_REQUEST = 1000

/** Deletes the markers of the objects: then they are there again, whatever their size. */
export const bringBack = async (
  s3: S3Client,
  bucket: string,
  objects: readonly (DeletedObject | undefined)[],
): Promise<void> => {
  const all = objects.flatMap(found =>
    (found?.markers ?? []).map(VersionId => ({ Key: found?.key, VersionId })),
  )
  for (let from = 0; from < all.length; from += KEYS_IN_REQUEST) {
    const Delete = { Objects: all.slice(from, from + KEYS_IN_REQUEST), Quiet: true }
    const { Errors: [first] = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }))
    if (first) throw new Error(`${first.Key} could not be brought back: ${first.Code}`)
  }
}
