import type { Context } from 'aws-lambda'
import { z } from 'zod'
import { lambdaHandler } from '#lib/cloud/lambda-handler.ts'
import { UserError } from '#lib/errors/errors.ts'

/* A function in a process of its own, because the logger writes to its standard output: one call succeeds, one fails. */
const handler = lambdaHandler({
  service: 'test',
  event: z.object({ id: z.string(), isWrong: z.boolean() }),
  keys: ({ id }) => ({ correlationId: id }),
  open:
    async () =>
    async ({ isWrong }, { logger }) => {
      if (isWrong) throw new UserError('notFound', 'There is none.')
      logger.info('between')
      return { rows: 3 }
    },
  outcome: ({ rows }) => ({ rows }),
})

// The handler reads nothing of its context but its request id. middy types it by the callback form too.
const call = handler as unknown as (event: unknown, context: Context) => Promise<unknown>
const context = { awsRequestId: 'r', functionName: 'f' } as Context
await call({ id: 'a', isWrong: false }, context)
await call({ id: 'b', isWrong: true }, context).catch(() => {})
