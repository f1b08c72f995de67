import type { FunctionName } from '../../infra/system.ts'
import type { TellEnd } from '../machines/ends.ts'
import { type ExecutionRecord, type RunningExecution, statusChange } from '../machines/execution-store.ts'
import { machineArn } from './names.ts'

const MAY_MEND: ReadonlySet<string> = new Set([machineArn('extract'), machineArn('export')])

/** Tells `tick` of the beginnings of runs and of ends, as the rule does in an account (infra/tick.ts). */
export const createEnds = (call: (name: FunctionName, event: unknown) => Promise<unknown>) => {
  const isRun = ({ stateMachineArn }: ExecutionRecord): boolean => stateMachineArn === machineArn('extract')
  const tellEnd: TellEnd = {
    isHeard: ended =>
      ended.status !== 'SUCCEEDED' ||
      MAY_MEND.has(ended.stateMachineArn) ||
      (ended.stateMachineArn === machineArn('import') && ended.output.includes('"mends"')),
    tell: async ended => void (await call('tick', statusChange(ended))),
  }
  return {
    onStart: async (record: RunningExecution): Promise<void> => {
      if (isRun(record)) await call('tick', statusChange(record))
    },
    tellEnd,
  }
}
