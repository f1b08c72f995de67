import { executionArnOf, type Machines, unlessNamed } from '#lib/cloud/machines.ts'
import type { ExecutionRecord } from './execution-store.ts'
import type { Executions } from './executions.ts'

const LISTED = 1000

/** The machines that run here, as functions and commands see them. */
export const machinesOf = (executions: Executions): Machines => ({
  start: async ({ machineArn, name, input }) => {
    const starting = executions.start(machineArn, JSON.stringify(input), name)
    return (await starting.catch(unlessNamed('ExecutionAlreadyExists'))) !== undefined
  },
  describe: async execution => {
    const record = executions.find(executionArnOf(execution))
    return record && described(record)
  },
  stop: async (execution, { code, message }) => {
    const executionArn = executionArnOf(execution)
    await executions.stop(executionArn, code, message).catch(unlessNamed('ExecutionDoesNotExist'))
  },
  list: async (machineArn, next = '0') => {
    const all = executions.list(machineArn)
    const end = Number(next) + LISTED
    return {
      executions: all
        .slice(Number(next), end)
        .map(({ executionArn, startDate }) => ({ executionArn, startDate: new Date(startDate) })),
      next: end < all.length ? String(end) : undefined,
    }
  },
})

const described = (record: ExecutionRecord) => ({
  status: record.status,
  startDate: new Date(record.startDate),
  input: record.input,
  ...(record.status !== 'RUNNING' && { stopDate: new Date(record.stopDate) }),
  ...('output' in record && { output: record.output }),
  ...('error' in record && { error: record.error }),
  ...('cause' in record && { cause: record.cause }),
})
