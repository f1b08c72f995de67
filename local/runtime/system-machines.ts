import type { StackConfig } from '../../infra/stack-config.ts'
import { type FunctionName, machineOf, PARTS_AT_ONCE } from '../../infra/system.ts'
import type { StateMachine } from '../machines/executions.ts'
import { InvocationError } from './lambda/function-error.ts'
import type { Functions } from './lambda/functions.ts'
import type { OwnerOf } from './lambda/owner-of.ts'
import { machineArn, STACK_NAME } from './names.ts'
import { machinesOfShape } from './system.ts'
import { untilThereIsRoom } from './until-there-is-room.ts'

/** The machines of the system, whose steps are calls of its functions. */
export const systemMachines = (
  config: StackConfig,
  { functions, ownerOf }: { functions: Pick<Functions, 'invoke'>; ownerOf: OwnerOf },
  log: (line: string) => void,
): StateMachine[] => {
  const callOf = (name: FunctionName) => async (event: unknown) => {
    const owner = await ownerOf(event)
    try {
      // The machine's own retries are few, and would all be used up before somebody makes room.
      return await untilThereIsRoom(() => functions.invoke(name, event, owner), {
        onWait: error => log(`${name}: the disk is full, waiting until there is room: ${String(error)}`),
      })
    } catch (error) {
      if (!(error instanceof InvocationError)) throw error
      // The cause of a failed function is Lambda's whole report as JSON text.
      throw Object.assign(new Error(JSON.stringify(error.details), { cause: error }), { name: error.name })
    }
  }
  return machinesOfShape(config).map(name => {
    const { step, longestSeconds, isLong } = machineOf(name)
    return {
      name: `${STACK_NAME}-${name}`,
      arn: machineArn(name),
      step: callOf(step),
      poll: callOf('poll-job'),
      // The setting is of loads and exports of tables.
      partsAtOnce: name === 'jobs' ? config.sizes.partsAtOnce : PARTS_AT_ONCE,
      longestSeconds,
      isLong,
    }
  })
}
