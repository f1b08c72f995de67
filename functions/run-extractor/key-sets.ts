import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3'
import { z } from 'zod'
import type { BucketDocuments } from '../lib/aws/bucket-documents.ts'
import { deleteObjects } from '../lib/aws/delete-objects.ts'
import { listObjects } from '../lib/aws/list-objects.ts'
import type { KeySets } from '../lib/extractor/run/deletions/key-set.ts'
import { KEY_SETS_PREFIX } from './names.ts'
import { placeOfRow } from './place-of.ts'
import type { Run } from './run.ts'

/** What the state holds of a key set. Anybody may write states, so nothing outside of the row's own prefix is touched. */
const reference = z.object({ file: z.string() })

const stateWithKeySets = z.object({
  millrace: z.object({ keySets: z.record(z.string(), z.unknown()) }),
})

/**
 * The key sets of a row as objects in the work bucket. Each has a key of its own: until the state that names it is saved, the
 * set of the run before stays where it was, so a run that dies has lost nothing.
 */
export const createKeySets = (run: Run, { s3, bucket }: BucketDocuments): KeySets => ({
  read: async kept => {
    const key = ownKey(run, kept)
    if (key === undefined) return undefined
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      const packed = (await Body?.transformToByteArray()) ?? new Uint8Array()
      return JSON.parse((await promisify(gunzip)(packed)).toString())
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  },
  write: async keys => {
    const file = `${prefixOf(run)}${randomUUID()}.json.gz`
    const Body = await promisify(gzip)(JSON.stringify(keys))
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: file, Body }))
    return { file }
  },
})

/**
 * Removes the key sets of a row that its state names no longer, and those that runs before this one left without a state, because
 * they failed.
 *
 * @param before states that no longer count
 */
export const removeOldKeySets = async (
  run: Run,
  { before, after }: { before: readonly unknown[]; after: unknown },
  { s3, bucket }: BucketDocuments,
): Promise<void> => {
  const kept = new Set(keySetsOf(run, after))
  const old = new Set(before.flatMap(state => keySetsOf(run, state)))
  if (kept.size + old.size === 0) return
  const runStart = new Date(run.startedAt)
  const listed = await Array.fromAsync(listObjects(s3, { bucket, prefix: prefixOf(run) }))
  const going = listed.filter(
    ({ key, lastModified }) => !kept.has(key) && (old.has(key) || lastModified < runStart),
  )
  await deleteObjects(
    s3,
    bucket,
    going.map(({ key }) => key),
  )
}

const keySetsOf = (run: Run, state: unknown): string[] => {
  const read = stateWithKeySets.safeParse(state)
  if (!read.success) return []
  return Object.values(read.data.millrace.keySets).flatMap(kept => ownKey(run, kept) ?? [])
}

const ownKey = (run: Run, kept: unknown): string | undefined => {
  const read = reference.safeParse(kept)
  return read.success && read.data.file.startsWith(prefixOf(run)) ? read.data.file : undefined
}

const prefixOf = (run: Run): string => `${KEY_SETS_PREFIX}${placeOfRow(run)}/`
