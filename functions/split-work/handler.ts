import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { stepEvent } from '../lib/drive/step.ts'
import { readEnv } from '../lib/env.ts'
import { engineRoom, tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { pieceOf } from './event.ts'

/** One piece of a load or an export that outgrows one function. Nothing of it is visible before `run-job` ends the job. */
export const handler = lambdaHandler({
  service: 'split-work',
  event: stepEvent,
  keys: event => {
    const { step, ...piece } = pieceOf(event)
    const { jobId, correlationId } = 'load' in piece ? piece.load : piece
    return { correlationId, jobId, step }
  },
  scratchFolder: tablesScratch,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env), engineRoom(process.env))
    return (event, { signal }) => run(pieceOf(event), signal)
  },
})
