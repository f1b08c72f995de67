import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { deleteFileObjects } from '../lib/storage/files/delete-file-objects.ts'
import { expiryOf, type FileStore } from '../lib/storage/files/file-store.ts'
import type { SweepServices } from './services.ts'

/** How long an expired file can still be looked up (`showExpired`), without its content. */
const RECORD_KEPT_MS = 90 * 86_400_000

/**
 * Deletes the objects of each expired file (docs/reference/storage-api.md#file-retention), and its record three months
 * later. Resolves to the number of files that lost their objects. If a file cannot be swept, the sweep continues and
 * the next one tries again.
 */
export const sweepFiles = async (services: SweepServices): Promise<number> => {
  const others = (await services.branches.list()).filter(({ id }) => id !== defaultBranchId)
  let swept = 0
  for (const branchId of [defaultBranchId, ...others.map(({ id }) => id)])
    swept += await sweepFilesOf(services.inBranch(branchId), services)
  return swept
}

const sweepFilesOf = async (
  { files }: { files: FileStore },
  { s3, filesBucket, now, log }: SweepServices,
): Promise<number> => {
  let swept = 0
  for await (const file of files.list()) {
    const sinceExpiryMs = now().getTime() - (expiryOf(file)?.getTime() ?? Number.POSITIVE_INFINITY)
    if (sinceExpiryMs < 0) continue
    try {
      if (!file.isSwept) {
        await deleteFileObjects(s3, filesBucket, file)
        await files.update(file.id, current => ({ ...current, isSwept: true }))
        swept++
      }
      if (sinceExpiryMs > RECORD_KEPT_MS) await files.delete(file.id)
    } catch (error) {
      log.error('file not swept', { fileId: file.id, error })
    }
  }
  return swept
}
