import pMap from 'p-map'
import { type AskedWait, executionOfJob } from '#lib/asked-wait.ts'
import type { Answer, WholeAnswer } from '#lib/drive/step.ts'
import { reportOf } from '#lib/errors/machine-failure.ts'
import { EVEN_THAT_FAILED, type Retry, retries } from '../../infra/system.ts'

/** Calls a function with an event that has been through JSON. Rejects with an error whose name `retries` match. */
export type Call = (event: unknown) => Promise<unknown>

interface DriveOptions {
  /** Of the execution, as its start gave it. */
  readonly input: unknown
  /** ARN of the execution. */
  readonly execution: string
  /** ISO 8601. */
  readonly since: string
  readonly step: Call
  readonly poll: Call
  readonly partsAtOnce: number
  readonly isLong: boolean
  /** Resolves when the wait is over. */
  readonly wait: (asked: AskedWait) => Promise<void>
  /** Told of each call before it. Default: nobody is. */
  readonly onCall?: (name: 'Step' | 'StepAfterFailure' | 'Part' | 'Poll') => void
}

export type DriveEnd =
  | { readonly status: 'SUCCEEDED'; readonly output: unknown }
  | { readonly status: 'FAILED'; readonly error: string; readonly cause: string }

/** Step Functions quotas: input or output of a state or an execution. */
export const largestDataBytes = 256 * 1024
/** Step Functions quotas, "Standard Workflows": events in the history of one execution. */
const largestHistory = 25_000

/** Of a task with its choice, of each attempt more, of a wait. */
const EVENTS = { call: 7, retry: 3, wait: 2 }

const BEGIN = { next: 'again', waitSeconds: 0, state: null, job: null, stepsLeft: 1 } as const

/** Runs one execution, as the machine of infra/drive.ts does. Its bounds hold here, too. */
export const drive = async (options: DriveOptions): Promise<DriveEnd> => {
  const { input, execution, since, isLong, wait, onCall = () => {} } = options
  let events = 0
  const note = (count: number): void => {
    events += count
    if (events > largestHistory && !isLong)
      throw new Ended(
        'States.Runtime',
        `The execution reached the maximum number of history events (${largestHistory}).`,
      )
  }
  const call = async (
    name: Parameters<typeof onCall>[0],
    run: Call,
    event: object,
    over?: AbortSignal,
  ): Promise<unknown> => {
    note(EVENTS.call)
    const whole = throughJson({ execution, since, ...event }, `The input of ${name}`)
    const result = await withRetries(
      () => {
        onCall(name)
        return run(whole)
      },
      async waitSeconds => {
        note(EVENTS.retry)
        await wait({ waitSeconds })
        over?.throwIfAborted()
      },
    )
    return throughJson(result ?? null, `The output of ${name}`)
  }
  const stepped = async (name: 'Step' | 'StepAfterFailure', event: object): Promise<Whole> =>
    (await call(name, options.step, { input, stepsLeft: 1, ...event })) as Whole // As each step answers.
  const pause = async (asked: AskedWait): Promise<void> => {
    note(EVENTS.wait)
    await wait(asked)
  }

  let answer: Whole = BEGIN
  /** What was last heard of the job that the answer waits for. */
  let polled: Polled | null = null
  const next = async (): Promise<Whole> => {
    const { state } = answer
    if (answer.next === 'again') {
      await pause(answer)
      return stepped('Step', { state, job: null })
    }
    if (answer.next === 'each') {
      await allOrNone(answer.parts, options.partsAtOnce, (part, over) =>
        call('Part', options.step, { input, state, part }, over),
      )
      return stepped('Step', { state, job: null })
    }
    if (answer.next !== 'poll') throw new Error(`An answer of ${answer.next} is an end`)
    const waitsFor = [executionOfJob(answer.jobId)]
    await pause({ waitSeconds: answer.waitSeconds, waitsFor })
    for (;;) {
      const job = (await call('Poll', options.poll, { jobId: answer.jobId })) as Polled // As poll-job answers.
      polled = job
      if (!job.isFinished) await pause({ waitSeconds: job.waitSeconds, waitsFor })
      else if (job.status === 'success' && answer.output)
        return { ...BEGIN, next: 'done', output: { ...answer.output, ...job } }
      else return stepped('Step', { state, job })
    }
  }

  try {
    for (;;) {
      if (answer.next === 'done') return { status: 'SUCCEEDED', output: answer.output }
      if (answer.next === 'failed') {
        return { status: 'FAILED', error: answer.failure.code, cause: JSON.stringify(answer.report) }
      }
      try {
        answer = await next()
        polled = null
      } catch (error) {
        if (error instanceof Ended) throw error
        const failure = namedFailure(error)
        try {
          answer = await stepped('StepAfterFailure', { state: answer.state, job: polled, failure })
          polled = null
        } catch (second) {
          if (second instanceof Ended) throw second
          const ofBoth = { code: failure.Error, message: EVEN_THAT_FAILED }
          answer = { ...BEGIN, next: 'failed', failure: ofBoth, report: reportOf(ofBoth, failure) }
        }
      }
    }
  } catch (error) {
    if (!(error instanceof Ended)) throw error
    return { status: 'FAILED', error: error.name, cause: error.message }
  }
}

/** A part that fails for good ends the others: their attempts are not repeated. */
const allOrNone = async (
  parts: readonly unknown[],
  concurrency: number,
  run: (part: unknown, over: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const failed = new AbortController()
  const runOne = (part: unknown) =>
    run(part, failed.signal).catch(error => {
      failed.abort()
      throw error
    })
  await pMap(parts, runOne, { concurrency })
}

type Whole = Answer & WholeAnswer
type Polled = { readonly waitSeconds: number; readonly isFinished: boolean; readonly status: string }

/** What Step Functions ends without asking anybody (Developer Guide, "Handling errors in Step Functions workflows"). */
class Ended extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

const namedFailure = (error: unknown) =>
  error instanceof Error
    ? { Error: error.name, Cause: error.message }
    : { Error: 'Error', Cause: String(error) }

/** What goes from step to step is JSON: a date or an `undefined` that works here would fail there. */
const throughJson = (value: unknown, what: string): unknown => {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > largestDataBytes)
    throw new Ended('States.DataLimitExceeded', `${what} is longer than ${largestDataBytes} bytes`)
  return JSON.parse(text)
}

const withRetries = async (
  run: () => Promise<unknown>,
  pause: (seconds: number) => Promise<void>,
): Promise<unknown> => {
  const tries = new Map<Retry, number>()
  for (;;) {
    try {
      return await run()
    } catch (error) {
      const retry = retries.find(({ errors }) => error instanceof Error && errors.includes(error.name))
      const tried = (retry && tries.get(retry)) ?? 0
      if (!retry || tried >= retry.maxAttempts) throw error
      tries.set(retry, tried + 1)
      await pause(secondsBefore(retry, tried))
    }
  }
}

const secondsBefore = (
  { intervalSeconds, backoffRate, maxDelaySeconds = Number.POSITIVE_INFINITY, hasJitter }: Retry,
  tried: number,
): number =>
  Math.min(maxDelaySeconds, intervalSeconds * backoffRate ** tried) * (hasJitter ? Math.random() : 1)
