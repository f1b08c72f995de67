import { z } from 'zod'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { sweepKinds } from './sweep-kinds.ts'

/** Input of the schedules. */
export const sweepStorageEvent = z.strictObject({ kind: z.enum(sweepKinds) })

/** Removes what nobody can use any more, of one kind: expired files, or table files that nothing refers to, and so on. */
export const handler = lambdaHandler({
  service: 'sweep-storage',
  event: sweepStorageEvent,
  keys: ({ kind }) => ({ kind }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env))
    return ({ kind }, { logger }) => run(kind, logger)
  },
})
