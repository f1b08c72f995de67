import { rm } from 'node:fs/promises'
import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { asTransient } from '../errors/as-transient.ts'
import { TransientError, UserError } from '../errors/errors.ts'
import { sendCodeInStack } from '../errors/machine-failure.ts'
import { parseEvent } from '../errors/parse-event.ts'
import { keptUntilFailed } from '../kept-until-failed.ts'

interface Invocation extends Context {
  logger: Logger
  /** Fires when its time is over, just before Lambda would end the process, and on SIGTERM: native code hears of nothing else. */
  signal: AbortSignal
}

type Run<Event, Result> = (event: Event, invocation: Invocation) => Promise<Result>

interface LambdaHandlerOptions<Event, Result> {
  /** Names the service in every log line. */
  service: string
  /** Reads the raw event into our shape. */
  event: z.core.$ZodType<Event>
  /** Makes what runs, with the first event. Made again after a failure. */
  open: () => Promise<Run<Event, Result>>
  /** Facts that each log line of an invocation carries: what it belongs to and is about. Never `message`. */
  keys?: (event: Event) => Facts
  /** Given: an invocation is a unit of work. A line says that it started, and one what came of it, with these facts. */
  outcome?: (result: Result) => Facts
  /**
   * A folder that begins empty. `/tmp` outlives an invocation that was cut off (Developer Guide, "Lambda execution
   * environment"), and what that one has left would be missing to this one. Default: nothing is removed.
   */
  scratchFolder?: string
}

type Facts = Record<string, string | number | boolean | null | undefined> & { message?: never }

// The small form of zod has no language of its own.
z.config(english())

/**
 * Wraps the work of one function: structured logs, a parsed event, and errors that are classified and logged once.
 *
 * An event that does not fit its schema is a `UserError` (`event.invalid`) that names each field. The event itself is
 * never logged: it may hold credentials. Temporary AWS errors become `TransientError`, which Step Functions retries.
 */
export const lambdaHandler = <Event, Result>({
  service,
  event,
  open,
  keys = () => ({}),
  outcome,
  scratchFolder,
}: LambdaHandlerOptions<Event, Result>) => {
  const logger = new Logger({ serviceName: service })
  const opened = keptUntilFailed(open)

  return middy<unknown, Result, Error, Context>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use({
      onError: request => {
        const error = asTransient(request.error)
        logFailure(logger, error)
        if (error instanceof UserError || error instanceof TransientError) sendCodeInStack(error)
        throw error
      },
    })
    .handler(async (input: unknown, context: Context) => {
      if (scratchFolder !== undefined) await rm(scratchFolder, { recursive: true, force: true })
      const parsed = parseEvent(event, input)
      logger.appendKeys(keys(parsed))
      const { signal, end } = deadlineOf(context)
      const work = async () => (await opened())(parsed, Object.assign(context, { logger, signal }))
      try {
        return await (outcome === undefined ? work() : logWork(logger, work, outcome))
      } finally {
        end()
      }
    })
}

/** What work needs to end of itself. */
const LAST_MS = 500

/** Named as Step Functions names a function that ran out of time, so that it is tried again as that one is. */
const endOf = (why: string): Error => Object.assign(new Error(why), { name: 'Sandbox.Timedout' })

const deadlineOf = (context: Context): { signal: AbortSignal; end: () => void } => {
  const controller = new AbortController()
  const abort = (why: string) => () => controller.abort(endOf(why))
  const stop = abort('The function is told to stop')
  process.once('SIGTERM', stop)
  const leftMs = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
  const timer = Number.isFinite(leftMs)
    ? setTimeout(abort('The time of the function is over'), Math.max(0, leftMs - LAST_MS))
    : undefined
  const end = (): void => {
    clearTimeout(timer)
    process.off('SIGTERM', stop)
  }
  return { signal: controller.signal, end }
}

const logWork = async <Result>(
  logger: Logger,
  work: () => Promise<Result>,
  outcome: (result: Result) => Facts,
): Promise<Result> => {
  const start = performance.now()
  const seconds = () => Math.round(performance.now() - start) / 1000
  logger.info('started')
  try {
    const result = await work()
    logger.info('ended', { outcome: 'success', seconds: seconds(), ...outcome(result) })
    return result
  } catch (error) {
    // The error itself is logged by the handler, with its stack where it may be our fault.
    const code = error instanceof UserError || error instanceof TransientError ? error.code : undefined
    const reason = error instanceof Error ? error.message : String(error)
    logger.warn('ended', { outcome: 'error', seconds: seconds(), code, reason })
    throw error
  }
}

/** A mistake of the user is no error of ours. Only what may be our fault is logged as an error. */
const logFailure = (logger: Logger, error: unknown): void => {
  const details = error instanceof Error ? error : new Error(String(error))
  if (error instanceof UserError) logger.info('refused', details)
  else if (error instanceof TransientError) logger.warn('failed for now', details)
  else logger.error('failed', details)
}
