import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { z } from 'zod'
import { asTransient } from '../errors/as-transient.ts'
import { TransientError, UserError } from '../errors/errors.ts'
import { sendCodeInStack } from '../errors/machine-failure.ts'

interface LambdaHandlerOptions<Event, Result> {
  /** Names the service in every log line. */
  service: string
  /** Reads the raw event into our shape. */
  event: z.ZodType<Event>
  run: (event: Event, context: Context & { logger: Logger }) => Promise<Result>
}

/**
 * Wraps the work of one function: structured logs, a parsed event, and errors that are classified and logged once.
 *
 * An event that does not fit its schema is a `UserError` (`event.invalid`) that names each field. The event itself is
 * never logged: it may hold credentials. Temporary AWS errors become `TransientError`, which Step Functions retries.
 */
export const lambdaHandler = <Event, Result>({
  service,
  event,
  run,
}: LambdaHandlerOptions<Event, Result>) => {
  const logger = new Logger({ serviceName: service })

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
    .handler(async (input: unknown, context: Context) =>
      run(parseEvent(event, input), Object.assign(context, { logger })),
    )
}

const parseEvent = <Event>(schema: z.ZodType<Event>, input: unknown): Event => {
  const parsed = schema.safeParse(input)
  if (!parsed.success)
    throw new UserError('event.invalid', `The event is not valid:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/** A mistake of the user is no error of ours. Only what may be our fault is logged as an error. */
const logFailure = (logger: Logger, error: unknown): void => {
  const details = error instanceof Error ? error : new Error(String(error))
  if (error instanceof UserError) logger.info('refused', details)
  else if (error instanceof TransientError) logger.warn('failed for now', details)
  else logger.error('failed', details)
}
