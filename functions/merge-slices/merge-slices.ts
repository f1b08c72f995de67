import type { S3Client } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { z } from 'zod'
import { executionName } from '../lib/cloud/execution-name.ts'
import {
  abortUpload,
  completeUpload,
  isPreconditionFailed,
  listParts,
} from '../lib/cloud/multipart/multipart-upload.ts'
import { assemblePart, copyPart } from '../lib/cloud/multipart/write-part.ts'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import { UserError } from '../lib/errors/errors.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { exportInput, type NumberRange, numberRange, stepBefore } from './event.ts'
import { findUpload, sweepOrphans } from './open-upload.ts'
import { partsRecord, planExport, planRecord, type ResolvedPart, requestExport } from './plan-export.ts'
import { type MergeSlicesServices, openFile } from './services.ts'
import { createWorkPlace, type WorkPlace } from './work-place.ts'

const jobResults = z.object({ file: z.object({ id: z.number() }) })

/**
 * One step of an export: the job, where a table is exported -> the plan -> parts -> complete. On failure the upload is aborted.
 * Resolves to nothing for a part.
 */
export const mergeSlices = async (
  services: MergeSlicesServices,
  { input: given, execution, state, job, part, failure }: StepEvent,
): Promise<Answer | undefined> => {
  const work = createWorkPlace(services.s3, services.workBucket, execution)
  const give = async (error: MachineFailure, jobId?: number): Promise<Answer> => {
    const described = describeFailure(error)
    await abortExport(work)
    // A job that failed has an event of its own.
    if (jobId === undefined) await reportFailure(services, { input: given, execution, failure: described })
    return { next: 'failed', failure: described }
  }
  if (job?.status === 'error') return give({ Error: job.error.code, Cause: job.error.message }, job.jobId)
  if (failure) return give(failure)

  const before = parseEvent(stepBefore, state)
  if (part !== undefined) {
    await copyParts(services, parseEvent(numberRange, part), work)
    return undefined
  }
  if (before?.begun === 'copy') return { next: 'done', output: await completeExport(work) }

  const input = parseEvent(exportInput, given)
  if (before === null && 'tableId' in input) {
    const jobId = await requestExport(services, { input, execution }, work)
    return { next: 'poll', jobId, waitSeconds: 0, state: { begun: 'job' } }
  }
  const fileId = 'fileId' in input ? input.fileId : parseEvent(jobResults, job?.results).file.id
  const parts = await planExport(services, { input, fileId }, work)
  return { next: 'each', parts, state: { begun: 'copy' } }
}

/** Leaves nothing of a failed execution: no upload of the destination, known or not, and no work. May be repeated. */
const abortExport = async (work: WorkPlace): Promise<void> => {
  const upload = await findUpload(work)
  if (upload) await abortUpload({ s3: work.s3, ...upload })
  else await sweepOrphans(work)
  await work.clear()
}

/** The component under which events of exports are listed. */
const COMPONENT = 'millrace-export'

/** As much as can be read: the input itself may be why the export failed. */
const asked = z
  .object({
    tableId: z.string().optional().catch(undefined),
    fileId: z.coerce.number().optional().catch(undefined),
    destination: z.object({ bucket: z.string(), key: z.string() }).optional().catch(undefined),
  })
  .catch({})

/** An event for an export that failed by itself, not by its job. */
const reportFailure = (
  { storage, log }: Pick<MergeSlicesServices, 'storage' | 'log'>,
  { input, execution, failure: error }: { input?: unknown; execution: string; failure: Failure },
): Promise<void> => {
  const { tableId, fileId, destination } = asked.parse(input)
  const what = tableId ?? (fileId === undefined ? 'something that was not understood' : `file ${fileId}`)
  return (
    storage
      .postEvent(
        {
          component: COMPONENT,
          type: 'error',
          message: `Export of ${what} failed: ${error.message}`,
          params: { tableId, fileId, destination, error },
        },
        `${executionName(execution)}-end`,
      )
      // Nothing may be left of the export all the same, and the dead letter says it too.
      .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
  )
}

/** S3 does the work. This bounds requests. */
const COPIES_IN_PARALLEL = 32
/** Three parts of 10 MiB in memory; larger ones, when there would be too many, are streamed as two blocks each. */
const ASSEMBLIES_IN_PARALLEL = 3

/** Makes the parts `from` to `to`. Skips parts of an earlier attempt, which are valid because sources are pinned. */
const copyParts = async (
  services: MergeSlicesServices,
  { from, to }: NumberRange,
  work: WorkPlace,
): Promise<void> => {
  const [plan, planned] = await Promise.all([
    work.read('plan.json', planRecord),
    work.read(`parts/${from}.json`, partsRecord),
  ])
  if (!plan || !planned) throw new Error(`The parts from ${from} were not planned`)
  const upload = { s3: services.s3, ...plan.destination, uploadId: plan.uploadId }
  const bytesOfMade = new Map(
    (await listParts(upload, { from, to })).map(({ partNumber, bytes }) => [partNumber, bytes]),
  )
  const missing = planned.filter(({ partNumber, bytes }) => bytesOfMade.get(partNumber) !== bytes)
  const file = await openFile(plan.fileId, services)
  const clientOf = ({ bucket, key }: { bucket: string; key: string }): S3Client =>
    bucket === work.bucket && key.startsWith(work.prefix) ? work.s3 : file.s3
  const parts = missing.map(part => ({
    ...part,
    ranges: part.ranges.map(({ source, ...range }) => ({
      ...range,
      source: { ...source, s3: clientOf(source) },
    })),
  }))

  const copy = async ({ partNumber, ranges: [range] }: ResolvedPart) => {
    if (!range) throw new Error(`Part ${partNumber} has no range`)
    await copyPart(upload, partNumber, range)
  }
  const assemble = ({ partNumber, ranges }: ResolvedPart) => assemblePart(upload, partNumber, ranges)
  const ofKind = (kind: ResolvedPart['kind']) => parts.filter(part => part.kind === kind)
  const results = await Promise.allSettled([
    pMap(ofKind('copy'), copy, { concurrency: COPIES_IN_PARALLEL }),
    pMap(ofKind('assemble'), assemble, { concurrency: ASSEMBLIES_IN_PARALLEL }),
  ])
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** `sealed.json`: all parts, stored just before the upload is completed, in case the answer to that is lost. */
const sealedRecord = z.object({
  parts: z.array(
    z.object({
      partNumber: z.number(),
      etag: z.string(),
      bytes: z.number(),
      checksum: z.string().optional(),
    }),
  ),
})

/** Output of the export machine. */
export interface Export {
  destination: { bucket: string; key: string }
  fileId: number
  bytes: number
  etag: string
  /** Of the whole object; S3 has checked it or worked it out. */
  checksum: { algorithm: 'CRC32'; value: string }
  versionId?: string | undefined
  parts: { copied: number; assembled: number }
  /** All other bytes were copied inside S3. */
  bytesThroughFunctions: number
}

/**
 * Completes the object and clears the work prefix. What this step needs to be repeated stays, and a lifecycle rule
 * removes it later. Throws `UserError` (`export.destinationExists`) when the destination may not be replaced.
 */
const completeExport = async (work: WorkPlace): Promise<Export> => {
  const plan = await work.read('plan.json', planRecord)
  if (!plan) throw new Error('There is no plan to complete')
  const upload = { s3: work.s3, ...plan.destination, uploadId: plan.uploadId }

  const sealed = await work.read('sealed.json', sealedRecord)
  const parts = sealed?.parts ?? (await listParts(upload))
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  const expectedParts = plan.parts.copied + plan.parts.assembled
  if (bytes !== plan.bytes || parts.length !== expectedParts) {
    throw new Error(
      `S3 has ${bytes} of ${plan.bytes} bytes in ${parts.length} of ${expectedParts} parts of the export`,
    )
  }
  if (!sealed) await work.write('sealed.json', { parts })

  const completed = await completeUpload(upload, parts, { mayReplace: plan.overwrite }).catch(
    (error: unknown) => {
      throw isPreconditionFailed(error) ? destinationExists(plan.destination, error) : error
    },
  )
  await work.clear(['plan.json', 'sealed.json'])
  return {
    destination: plan.destination,
    fileId: plan.fileId,
    bytes,
    etag: completed.etag,
    checksum: { algorithm: 'CRC32', value: completed.checksum },
    ...(completed.versionId === undefined ? {} : { versionId: completed.versionId }),
    parts: plan.parts,
    bytesThroughFunctions: plan.bytesThroughFunctions,
  }
}

const destinationExists = ({ bucket, key }: { bucket: string; key: string }, cause: unknown): UserError =>
  new UserError(
    'export.destinationExists',
    `There is an object ${key} in ${bucket} already, and "overwrite" is false.`,
    { cause },
  )
