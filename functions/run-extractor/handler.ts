import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { answering, stepEvent, stepKeys } from '../lib/drive/step.ts'
import { readEnv } from '../lib/env.ts'
import { runInput } from './event.ts'

/** One step of the extract machine: begins a run, takes it a leg or a load further, or ends it. */
export const handler = lambdaHandler({
  service: 'run-extractor',
  event: stepEvent,
  keys: event => {
    const { componentId, configId } = runInput.safeParse(event.input).data ?? {}
    return { ...stepKeys(event), componentId, configId }
  },
  open: async () => {
    const { open, variables } = await import('./work.ts')
    return answering(
      open(readEnv(variables, process.env), { scratchFolder: join(tmpdir(), 'millrace-runs') }),
    )
  },
  outcome: answer => ({ next: answer?.next }),
})
