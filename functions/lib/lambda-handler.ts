import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { z } from 'zod'
import { UserError } from './errors.ts'

export interface LambdaHandlerOptions<Event, Result> {
  /** Names the service in every log line and trace segment. */
  service: string
  /** Reads the raw event into our shape. */
  event: z.ZodType<Event>
  run: (event: Event, context: Context & { logger: Logger }) => Promise<Result>
}

/**
 * Wraps the work of one function: structured logs, a trace segment, the event parsed, errors logged once.
 *
 * An event that does not fit its schema is a `UserError` (`event.invalid`) that names each field. The event itself is
 * never logged: it may hold credentials.
 */
export const lambdaHandler = <Event, Result>({
  service,
  event,
  run,
}: LambdaHandlerOptions<Event, Result>) => {
  const logger = new Logger({ serviceName: service })
  const tracer = new Tracer({ serviceName: service })

  return middy<unknown, Result, Error, Context>()
    .use(captureLambdaHandler(tracer, { captureResponse: false }))
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use({ onError: ({ error }) => logger.error('invocation failed', error ?? 'unknown error') })
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
