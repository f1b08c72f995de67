import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { deleteFileObjects } from '../lib/storage/files/delete-file-objects.ts'
import { expiryOf, type FileRecord, type FileStore } from '../lib/storage/files/file-store.ts'
import type { SweepPage, SweepServices } from './page.ts'

/** How long an expired file can still be looked up (`showExpired`), without its content. */
const RECORD_KEPT_MS = 90 * 86_400_000

/**
 * Deletes the objects of each expired file (docs/reference/storage-api.md#file-retention), and its record three months
 * later. Sweeps files. One that fails is logged, and the next sweep tries again. Files of a branch come newest first. When
 * the branch of `after` is gone, it begins from the start.
 */
export const sweepFiles: SweepPage = async (services, after) => {
  const others = (await services.branches.list()).filter(({ id }) => id !== defaultBranchId)
  const branchIds = [defaultBranchId, ...others.map(({ id }) => id)]
  const [afterBranch = 0, afterId = 0] = after?.split('/').map(Number) ?? []
  const found = branchIds.indexOf(afterBranch)
  const index = Math.max(found, 0)
  const branchId = branchIds[index] ?? defaultBranchId
  const range = found >= 0 && afterId > 0 ? { maxId: afterId } : {}

  const { files } = services.inBranch(branchId)
  let [seen, swept] = [0, 0]
  for await (const file of files.list(range)) {
    if (await sweepFile(file, files, services)) swept++
    if (++seen === services.pageSizes.files) return { swept, next: `${branchId}/${file.id}` }
  }
  const nextBranch = branchIds[index + 1]
  return { swept, next: nextBranch === undefined ? undefined : `${nextBranch}/0` }
}

/** Resolves to whether the file has lost its objects now. */
const sweepFile = async (
  file: FileRecord,
  files: FileStore,
  { s3, filesBucket, now, log }: SweepServices,
): Promise<boolean> => {
  const sinceExpiryMs = now().getTime() - (expiryOf(file)?.getTime() ?? Number.POSITIVE_INFINITY)
  if (sinceExpiryMs < 0) return false
  const isNew = !file.isSwept
  try {
    if (isNew) {
      await deleteFileObjects(s3, filesBucket, file)
      await files.update(file.id, current => ({ ...current, isSwept: true }))
    }
    if (sinceExpiryMs > RECORD_KEPT_MS) await files.delete(file.id)
    return isNew
  } catch (error) {
    log.error('file not swept', { fileId: file.id, error })
    return false
  }
}
