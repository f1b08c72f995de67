import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { runExtractorEvent, runIdOf } from './event.ts'

/** One step of the extract machine: begins a run, takes it a leg or a load further, or ends it. */
export const handler = lambdaHandler({
  service: 'run-extractor',
  event: runExtractorEvent,
  keys: ({ execution, step, input: { componentId, configId } }) => ({
    correlationId: runIdOf(execution),
    step,
    componentId,
    configId,
  }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    return open(readEnv(variables, process.env), { scratchFolder: join(tmpdir(), 'millrace-runs') })
  },
  outcome: advance => ({
    next: advance.next,
    ...('result' in advance &&
      advance.result.status !== 'skipped' && {
        outcome: advance.result.status,
        rows: advance.result.rowsLoaded,
      }),
  }),
})
