import {
  describeExecution,
  listExecutions,
  startExecution,
  stepFunctions,
} from '../../functions/lib/cloud/step-functions.ts'

/** The state machines of the account. */
export const accountMachines = () =>
  stepFunctions({ describe: describeExecution, list: listExecutions, start: startExecution })
