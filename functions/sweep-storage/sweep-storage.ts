import { deleteObjects } from '../lib/cloud/delete-objects.ts'
import { listObjects } from '../lib/cloud/list-objects.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { filePrefixes } from '../lib/storage/files/file-prefixes.ts'
import {
  deleteFileObjects,
  expiryOf,
  type FileRecord,
  type FileStore,
} from '../lib/storage/files/file-store.ts'
import { isFinal } from '../lib/storage/jobs/job-record.ts'
import type { TableStore } from '../lib/storage/tables/table-store.ts'
import type { SweepPage, SweepServices } from './page.ts'
import type { SweepKind } from './sweep-kinds.ts'

/**
 * An object is deleted when nothing has referred to it for this long. A job that uses it ends within a quarter of an
 * hour, a preview within half a minute: that is a hundred times what they need.
 */
const GRACE_MS = 24 * 3_600_000

const TABLES_PREFIX = 'tables/'

/**
 * Deletes the files of superseded snapshots, deleted tables and failed loads. Sweeps objects.
 *
 * An unreferenced object is noted, and deleted when it is still unreferenced a day later. Its age alone does not count:
 * an old file may have lost its table a second ago. A note goes as soon as something refers to the object again.
 * References are read after the listing of the page, so a load in between cannot add to the listed objects. Those of all
 * tables are read: branches and copies share files. Objects of an unfinished job always stay.
 */
const sweepTableObjects: SweepPage = async (services, after = TABLES_PREFIX) => {
  const { s3, tablesBucket, sweeps, pageSizes, now } = services
  const range = { bucket: tablesBucket, prefix: TABLES_PREFIX, after, atMost: pageSizes.keys }
  const listed = await Array.fromAsync(listObjects(s3, range))
  const next = listed.length === pageSizes.keys ? listed.at(-1)?.key : undefined
  const unnamed = new Map(listed.map(({ key, lastModified }) => [key, lastModified]))
  for await (const key of namedKeys(services)) unnamed.delete(key)

  const noted = new Map<string, Date>()
  const needless: string[] = []
  for await (const { key, since } of sweeps.notes({ after, upTo: next }))
    if (unnamed.has(key)) noted.set(key, since)
    else needless.push(key)

  const isOld = (time: Date): boolean => now().getTime() - time.getTime() > GRACE_MS
  const isOver = createJobCheck(services)
  const going: string[] = []
  for (const [key, lastModified] of unnamed) {
    const since = noted.get(key)
    if (since && isOld(since) && isOld(lastModified) && (await isOver(key))) going.push(key)
  }
  await sweeps.note(
    [...unnamed.keys()].filter(key => !noted.has(key)),
    now(),
  )
  await deleteObjects(s3, tablesBucket, going)
  // Last: a sweep that dies before this finds the notes of objects that are gone, and removes them.
  await sweeps.removeNotes([...needless, ...going])
  return { swept: going.length, next }
}

async function* namedKeys(services: SweepServices): AsyncGenerator<string> {
  for (const { tables, bucketId } of await everyBucket(services)) yield* tables.namedKeys(bucketId)
  yield* services.snapshots.namedKeys()
}

/** Whether the job that wrote an object has ended: `tables/<table>/<job>/…`, or `tables/staging/<job>/…`. */
const createJobCheck = ({ jobs }: SweepServices) => {
  const known = new Map<number, boolean>()
  return async (key: string): Promise<boolean> => {
    const jobId = Number(/^tables\/(?:\d+|staging)\/(\d{1,16})\//.exec(key)?.[1])
    if (!Number.isSafeInteger(jobId)) return true
    const found = known.get(jobId)
    if (found !== undefined) return found
    const job = await jobs.get(jobId)
    const isOver = job === undefined || isFinal(job)
    known.set(jobId, isOver)
    return isOver
  }
}

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
 * Sweeps tables. A bucket that fails is logged, and the next sweep tries again. When the bucket of `after` is gone, it
 * begins from the start.
 */
const expireTableSnapshots: SweepPage = async (services, after) => {
  const all = await everyBucket(services)
  const start = all.findIndex(bucket => positionOf(bucket) === after) + 1
  const page = all.slice(start, start + services.pageSizes.buckets)
  let swept = 0
  for (const { tables, bucketId } of page) {
    try {
      swept += await tables.expireSnapshots(bucketId, services.now())
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

/**
 * The buckets of all branches, of each branch only those that are its own. The development branches come first: a branch
 * that copies a head from the default branch while we read has it there still when we come to that.
 */
const everyBucket = async ({
  branches,
  inBranch,
  ownTables,
}: SweepServices): Promise<{ branchId: number; bucketId: string; tables: TableStore }[]> => {
  const branchIds = (await branches.list()).map(({ id }) => id).filter(id => id !== defaultBranchId)
  const found: { branchId: number; bucketId: string; tables: TableStore }[] = []
  for (const branchId of [...branchIds, defaultBranchId]) {
    const { buckets, tables } = branchId === defaultBranchId ? inBranch(branchId) : ownTables(branchId)
    for (const { id } of await buckets.list()) found.push({ branchId, bucketId: id, tables })
  }
  return found
}
