import { deleteObjects } from '../lib/aws/delete-objects.ts'
import { listObjects } from '../lib/aws/list-objects.ts'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { filePrefixes } from '../lib/storage/files/file-prefixes.ts'
import {
  deleteFileObjects,
  expiryOf,
  type FileRecord,
  type FileStore,
} from '../lib/storage/files/file-store.ts'
import { everyBucket } from './every-bucket.ts'
import { healCatalog } from './heal-catalog.ts'
import type { SweepPage, SweepServices } from './page.ts'
import type { SweepKind } from './sweep-kinds.ts'
import { sweepTableObjects } from './sweep-table-objects.ts'

/** How long an expired file can still be looked up (`showExpired`), without its content. */
const RECORD_KEPT_MS = 90 * 86_400_000

/**
 * Deletes the objects of each expired file (docs/reference/storage-api.md#file-retention), and its record three months
 * later. Sweeps files. One that fails is logged, and the next sweep tries again. Files of a branch come newest first. When
 * the branch of `after` is gone, it begins from the start.
 */
const sweepFiles: SweepPage = async (services, after) => {
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
    if (sinceExpiryMs > RECORD_KEPT_MS) await files.delete(file)
    return isNew
  } catch (error) {
    log.error('file not swept', { fileId: file.id, error })
    return false
  }
}

const DAY_MS = 86_400_000

/**
 * Deletes objects below a prefix whose files live for a number of days, once they are a day older than that: uploads to
 * deleted files, slices of unfinished exports. In the cloud a lifecycle rule does the same. Sweeps objects.
 */
const sweepFileObjects: SweepPage = async (
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

const positionOf = ({ branchId, bucketId }: { branchId: number; bucketId: string }): string =>
  `${branchId}/${bucketId}`

/**
 * Lets the old snapshots of the tables of some buckets go: those of a table that does not change are only noticed here.
 * Recounts the totals of these buckets.
 * Sweeps tables. A bucket that fails is logged, and the next sweep tries again. When the bucket of `after` is gone, it
 * begins from the start.
 */
const expireTableSnapshots: SweepPage = async (services, after) => {
  const all = await everyBucket(services)
  const start = all.findIndex(bucket => positionOf(bucket) === after) + 1
  const page = all.slice(start, start + services.pageSizes.buckets)
  let swept = 0
  for (const { branchId, tables, bucketId } of page) {
    try {
      swept += await tables.expireSnapshots(bucketId, services.now())
      if (branchId === defaultBranchId && (await services.recountTotals(bucketId)))
        services.log.error('totals of a bucket were wrong, and are corrected', { bucketId })
    } catch (error) {
      services.log.error('snapshots not expired', { bucketId, error })
    }
  }
  const last = page.at(-1)
  return { swept, next: last && last !== all.at(-1) ? positionOf(last) : undefined }
}

interface Swept {
  kind: SweepKind
  /** What this invocation has removed. */
  swept: number
  /** Whether it came to the end. If not, the next sweep of this kind continues. */
  isWhole: boolean
}

const pageOf: Readonly<Record<SweepKind, SweepPage>> = {
  /** Expired files. */
  files: sweepFiles,
  /** Objects without a file, from unfinished uploads and exports. */
  'file-objects': sweepFileObjects,
  /** Tables whose old snapshots have expired. */
  'table-snapshots': expireTableSnapshots,
  /** Objects that no table has referred to for a day. */
  'table-objects': sweepTableObjects,
  /** Tables of the Glue Data Catalog that nobody needs any more. */
  catalog: healCatalog,
}

/**
 * Sweeps one kind, page by page, from where the sweep before stopped. It may be repeated, and stopped at any point: the
 * page that was not finished comes again. At least one page is swept, whatever the time.
 */
export const sweepStorage = async (
  kind: SweepKind,
  services: SweepServices,
  isTimeUp: () => boolean,
): Promise<Swept> => {
  let after = await services.sweeps.position(kind)
  let swept = 0
  do {
    const page = await pageOf[kind](services, after)
    swept += page.swept
    after = page.next
    await services.sweeps.keepPosition(kind, after)
  } while (after !== undefined && !isTimeUp())
  return { kind, swept, isWhole: after === undefined }
}
