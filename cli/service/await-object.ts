import { setTimeout as sleep } from 'node:timers/promises'
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import type { Machines } from '../../functions/lib/cloud/machines.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { describeFailure } from '../../functions/lib/errors/machine-failure.ts'
import { machineArnFrom } from '../../local/runtime/machine-output.ts'
import { followExecution } from '../connect/follow-execution.ts'
import type { Installation } from '../connect/installation.ts'

type ObjectEnd =
  | { tableId: string | null; jobId: number | null; seconds: number }
  | { error: { code: string; message: string }; seconds: number }

interface WaitedObject {
  bucket: string
  key: string
  versionId: string | undefined
  storedAt: Date
}

/** An account may ask for ten executions a second, and for two lists (docs/limits.md). */
const LOOK_EVERY_MS = 250
const LOOKS_PER_LIST = 4
/** Clocks of S3 and Step Functions differ by less. */
const CLOCK_SKEW_MS = 5_000

/** The output of the import machine; see infra/import-machine.ts. A copy of an event names no job. */
const importOutput = z
  .object({
    tableId: z.string().nullable().default(null),
    jobId: z.number().nullable().default(null),
    execution: z.string().optional(),
  })
  .catch({ tableId: null, jobId: null })

/**
 * Waits for the import of the newest version of an object in the landing bucket: for its execution to begin, then for it
 * to end. Rejects when the signal fires.
 *
 * Error: `cli.notFound` when there is no such object.
 */
export const awaitObject = async (
  target: string,
  { outputs, machines: open, s3 }: Installation,
  signal: AbortSignal,
): Promise<ObjectEnd> => {
  const machines = await open()
  const object = await findObject(target, outputs['LandingBucket'], s3)
  const machineArn = machineArnFrom(outputs, 'import')
  const executionArn = await findExecution(machines, machineArn, object, signal)
  return endOf(machines, executionArn, signal)
}

const findObject = async (
  target: string,
  landingBucket: string | undefined,
  options: Readonly<Record<string, unknown>>,
): Promise<WaitedObject> => {
  const address = /^s3:\/\/([^/]+)\/(.+)$/.exec(target)
  const bucket = address?.[1] ?? landingBucket
  const key = address?.[2] ?? target
  if (bucket === undefined) throw new UserError('cli.notFound', 'The stack has no landing bucket.')
  const s3 = new S3Client(options)
  try {
    const { VersionId, LastModified } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))
    return { bucket, key, versionId: VersionId, storedAt: LastModified ?? new Date(0) }
  } catch (cause) {
    if (!(cause instanceof Error) || !['NotFound', 'NoSuchKey', 'NoSuchBucket'].includes(cause.name))
      throw cause
    throw new UserError(
      'cli.notFound',
      `There is no object ${key} in the bucket ${bucket}: upload it first.`,
      { cause },
    )
  } finally {
    s3.destroy()
  }
}

const input = z.object({
  detail: z.object({ object: z.object({ key: z.string(), 'version-id': z.string().optional() }) }),
})

/**
 * Among the executions that began after the object was stored, the newest of this very version: those that somebody
 * started again first, then the one that its event started, soonest after it. It asks about one at a time, and about each
 * once: what an execution was started with does not change.
 */
const findExecution = async (
  machines: Pick<Machines, 'list' | 'describe'>,
  machineArn: string,
  { key, versionId, storedAt }: WaitedObject,
  signal: AbortSignal,
): Promise<string> => {
  const isSeen = new Set<string>()
  let found: readonly string[] = []
  for (let look = 0; ; look++) {
    if (look % LOOKS_PER_LIST === 0) found = await begunSince(machines, machineArn, storedAt)
    const executionArn = found.find(each => !isSeen.has(each))
    if (executionArn !== undefined) {
      isSeen.add(executionArn)
      const described = await machines.describe({ executionArn })
      const parsed = input.safeParse(JSON.parse(described?.input ?? 'null'))
      const object = parsed.data?.detail.object
      if (object?.key === key && (versionId === undefined || object['version-id'] === versionId))
        return executionArn
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal })
  }
}

/** The name that EventBridge gives to the execution that an event starts: of the event, and one of its own. */
const OF_EVENT = /:[\da-f-]{36}_[\da-f-]{36}$/

const begunSince = async (
  machines: Pick<Machines, 'list'>,
  machineArn: string,
  storedAt: Date,
): Promise<string[]> => {
  const again: string[] = []
  const byEvent: { executionArn: string; distanceMs: number }[] = []
  for (let page = await machines.list(machineArn); ; page = await machines.list(machineArn, page.next)) {
    const since = page.executions.filter(({ startDate }) => afterMs(startDate, storedAt) >= -CLOCK_SKEW_MS)
    for (const { executionArn, startDate } of since) {
      if (!OF_EVENT.test(executionArn)) again.push(executionArn)
      else byEvent.push({ executionArn, distanceMs: Math.abs(afterMs(startDate, storedAt)) })
    }
    if (since.length < page.executions.length || page.next === undefined) break
  }
  const soonest = byEvent.toSorted((a, b) => a.distanceMs - b.distanceMs)
  return [...again, ...soonest.map(({ executionArn }) => executionArn)]
}

const afterMs = (date: Date, storedAt: Date): number => date.getTime() - storedAt.getTime()

const endOf = async (
  machines: Pick<Machines, 'describe'>,
  executionArn: string,
  signal: AbortSignal,
): Promise<ObjectEnd> => {
  const { status, output, error, cause, startDate, stopDate } = await followExecution(
    machines,
    executionArn,
    signal,
  )
  const seconds = ((stopDate?.getTime() ?? 0) - (startDate?.getTime() ?? 0)) / 1000
  if (status !== 'SUCCEEDED')
    return {
      seconds,
      error: describeFailure({ Error: error ?? status, Cause: cause ?? 'The import was stopped.' }),
    }
  const { execution, ...done } = importOutput.parse(JSON.parse(output ?? 'null'))
  // A copy of the event: another execution imports this version.
  if (execution !== undefined && execution !== executionArn) return endOf(machines, execution, signal)
  return { ...done, seconds }
}
