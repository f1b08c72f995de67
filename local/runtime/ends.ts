import type { FunctionName } from '../../infra/system.ts'
import type { TellEnd } from '../machines/ends.ts'
import { statusChange } from '../machines/execution-store.ts'
import { machineArn } from './names.ts'

const MAY_MEND: ReadonlySet<string> = new Set([machineArn('extract'), machineArn('export')])

/** Tells `tick` of ends, as the rule does in an account (infra/tick.ts). */
export const tellingEnds = (call: (name: FunctionName, event: unknown) => Promise<unknown>): TellEnd => ({
  isHeard: ended =>
    ended.status !== 'SUCCEEDED' ||
    MAY_MEND.has(ended.stateMachineArn) ||
    (ended.stateMachineArn === machineArn('import') && ended.output.includes('"mends"')),
  tell: async ended => void (await call('tick', statusChange(ended))),
})
