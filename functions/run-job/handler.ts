import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { answering, stepEvent } from '../lib/drive/step.ts'
import { readEnv } from '../lib/env.ts'
import { engineRoom, tablesScratch } from '../lib/storage/tables/lazy-table-engine.ts'
import { jobOfInput, pieceOf } from './pieces/piece.ts'

/** One step of the job machine: does a job of the storage service, or a piece of it, or says what has to come before the next try. */
export const handler = lambdaHandler({
  service: 'run-job',
  event: stepEvent,
  keys: event => {
    const { jobId } = jobOfInput.safeParse(event.input).data ?? {}
    if (event.part === undefined) return { jobId }
    const { step, ...piece } = pieceOf(event)
    return { jobId, step, correlationId: ('load' in piece ? piece.load : piece).correlationId }
  },
  scratchFolder: tablesScratch,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env), engineRoom(process.env))
    return answering((event, { logger, signal }) => run(event, logger, signal))
  },
})
