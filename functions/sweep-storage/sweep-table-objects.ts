import { deleteObjects } from '../lib/aws/delete-objects.ts'
import { listObjects } from '../lib/aws/list-objects.ts'
import { isFinal } from '../lib/storage/jobs/job-record.ts'
import { everyBucket } from './every-bucket.ts'
import type { SweepPage, SweepServices } from './page.ts'

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
export const sweepTableObjects: SweepPage = async (services, after = TABLES_PREFIX) => {
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
