import { filePrefixes } from '../lib/storage/files/file-prefixes.ts'
import { deleteObjects, listObjects } from './list-objects.ts'
import type { SweepServices } from './services.ts'

const DAY_MS = 86_400_000

/**
 * Deletes objects below a prefix whose files live for a number of days, once they are a day older than that: uploads to
 * deleted files, slices of unfinished exports. In the cloud a lifecycle rule does the same. Resolves to the number of
 * deleted objects.
 */
export const sweepFileObjects = async ({ s3, filesBucket, now }: SweepServices): Promise<number> => {
  let swept = 0
  for (const { prefix, days } of filePrefixes) {
    const latest = now().getTime() - (days + 1) * DAY_MS
    const keys: string[] = []
    for await (const { key, lastModified } of listObjects(s3, filesBucket, prefix))
      if (lastModified.getTime() < latest) keys.push(key)
    await deleteObjects(s3, filesBucket, keys)
    swept += keys.length
  }
  return swept
}
