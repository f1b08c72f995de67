import { deleteObjects } from '../lib/aws/delete-objects.ts'
import { listObjects } from '../lib/aws/list-objects.ts'
import { filePrefixes } from '../lib/storage/files/file-prefixes.ts'
import type { SweepPage } from './page.ts'

const DAY_MS = 86_400_000

/**
 * Deletes objects below a prefix whose files live for a number of days, once they are a day older than that: uploads to
 * deleted files, slices of unfinished exports. In the cloud a lifecycle rule does the same. Sweeps objects.
 */
export const sweepFileObjects: SweepPage = async (
  { s3, filesBucket, pageSizes, now },
  after = filePrefixes[0].prefix,
) => {
  const index = filePrefixes.findIndex(({ prefix }) => after.startsWith(prefix))
  const current = filePrefixes[index]
  if (!current) return { swept: 0 } // A prefix of another version.
  const { prefix, days } = current
  const latest = now().getTime() - (days + 1) * DAY_MS
  const listed = await Array.fromAsync(
    listObjects(s3, { bucket: filesBucket, prefix, after, atMost: pageSizes.keys }),
  )
  const keys = listed.filter(({ lastModified }) => lastModified.getTime() < latest).map(({ key }) => key)
  await deleteObjects(s3, filesBucket, keys)
  const isFull = listed.length === pageSizes.keys
  return { swept: keys.length, next: isFull ? listed.at(-1)?.key : filePrefixes[index + 1]?.prefix }
}
