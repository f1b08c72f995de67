import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { isFinal } from '../lib/storage/jobs/job-record.ts'
import { everyBucket } from './every-bucket.ts'
import { deleteObjects, listObjects } from './list-objects.ts'
import type { SweepServices } from './services.ts'

/**
 * An object is deleted when nothing has referred to it for this long. A job that uses it ends within a quarter of an
 * hour, a preview within half a minute: that is a hundred times what they need.
 */
const GRACE_MS = 24 * 3_600_000

const TABLES_PREFIX = 'tables/'
const NOTES_KEY = 'sweep/unnamed-objects.json'

/** Key -> since when no table and no snapshot refers to it (ISO 8601). */
const notesSchema = z.record(z.string(), z.string())
type Notes = z.infer<typeof notesSchema>

/**
 * Deletes the files of superseded snapshots, deleted tables and failed loads. Resolves to their number.
 *
 * An unreferenced object is noted, and deleted when it is still unreferenced a day later. Its age alone does not count:
 * an old file may have lost its table a second ago. References are read after the listing, so a load in between cannot
 * add to the listed objects. Objects of an unfinished job always stay.
 */
export const sweepTableObjects = async (services: SweepServices): Promise<number> => {
  const { s3, tablesBucket, now } = services
  const listed: { key: string; lastModified: Date }[] = []
  for await (const object of listObjects(s3, tablesBucket, TABLES_PREFIX)) listed.push(object)
  const named = await namedKeys(services)
  const notes = await readNotes(services)
  const isOld = (time: Date): boolean => now().getTime() - time.getTime() > GRACE_MS

  const nextNotes: Notes = {}
  const going: string[] = []
  const isOver = createJobCheck(services)
  for (const { key, lastModified } of listed) {
    if (named.has(key)) continue
    const since = notes[key] ?? now().toISOString()
    if (isOld(new Date(since)) && isOld(lastModified) && (await isOver(key))) going.push(key)
    else nextNotes[key] = since
  }
  await deleteObjects(s3, tablesBucket, going)
  await s3.send(
    new PutObjectCommand({ Bucket: tablesBucket, Key: NOTES_KEY, Body: JSON.stringify(nextNotes) }),
  )
  return going.length
}

const namedKeys = async (services: SweepServices): Promise<Set<string>> => {
  const named = new Set<string>()
  for (const { tables, bucketId } of await everyBucket(services))
    for await (const key of tables.namedKeys(bucketId)) named.add(key)
  for await (const key of services.snapshots.namedKeys()) named.add(key)
  return named
}

const readNotes = async ({ s3, tablesBucket }: SweepServices): Promise<Notes> => {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: tablesBucket, Key: NOTES_KEY }))
    return notesSchema.parse(JSON.parse((await Body?.transformToString()) ?? '{}'))
  } catch (error) {
    if (error instanceof NoSuchKey) return {}
    throw error
  }
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
