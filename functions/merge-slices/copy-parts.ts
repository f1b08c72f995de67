import pMap from 'p-map'
import { listParts, type StoredPart } from '../lib/aws/multipart/multipart-upload.ts'
import { assemblePart, copyPart } from '../lib/aws/multipart/write-part.ts'
import type { MergeSlicesEvent } from './event.ts'
import { openFile } from './file-access.ts'
import { noteParts } from './part-notes.ts'
import { planRecord, type ResolvedPart, rangeRecord, readRangeRecord } from './plan-records.ts'
import type { MergeSlicesServices } from './services.ts'
import type { WorkPlace } from './work-place.ts'

/** S3 does the work. This bounds requests. */
const COPIES_IN_PARALLEL = 32
/** Three parts of 10 MiB in memory; larger ones, when there would be too many, are streamed as two blocks each. */
const ASSEMBLIES_IN_PARALLEL = 3

/** Makes the parts `from` to `to`. Skips parts of an earlier attempt, which are valid because sources are pinned. */
export const copyParts = async (
  services: MergeSlicesServices,
  { from, to }: Extract<MergeSlicesEvent, { step: 'copy' }>,
  work: WorkPlace,
): Promise<{ parts: number }> => {
  const [plan, record] = await Promise.all([
    work.read('plan.json', planRecord),
    work.read(`parts/${from}.json`, rangeRecord),
  ])
  if (!plan || !record) throw new Error(`The parts from ${from} were not planned`)
  const upload = { s3: services.s3, ...plan.destination, uploadId: plan.uploadId }
  const bytesOfMade = new Map(
    (await listParts(upload, { from, to })).map(({ partNumber, bytes }) => [partNumber, bytes]),
  )
  const parts = await readRangeRecord(record, work, () => openFile(plan.fileId, services))
  const missing = parts.filter(({ partNumber, bytes }) => bytesOfMade.get(partNumber) !== bytes)

  const made: StoredPart[] = []
  const copy = async ({ partNumber, ranges: [range] }: ResolvedPart) => {
    if (!range) throw new Error(`Part ${partNumber} has no range`)
    made.push(await copyPart(upload, partNumber, range))
  }
  const assemble = async ({ partNumber, ranges }: ResolvedPart) => {
    made.push(await assemblePart(upload, partNumber, ranges))
  }
  const ofKind = (kind: ResolvedPart['kind']) => missing.filter(part => part.kind === kind)
  const results = await Promise.allSettled([
    pMap(ofKind('copy'), copy, { concurrency: COPIES_IN_PARALLEL }),
    pMap(ofKind('assemble'), assemble, { concurrency: ASSEMBLIES_IN_PARALLEL }),
  ])
  // Also of an attempt that fails: the next one skips these parts.
  await noteParts(work, made)
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return { parts: parts.length }
}
