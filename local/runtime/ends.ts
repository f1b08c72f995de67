import type { ErrorCode } from '#lib/errors/codes.ts'
import { type FunctionName, type MachineName, machines } from '../../infra/system.ts'
import { type EndedExecution, type RunningExecution, statusChange } from '../machines/execution-store.ts'
import { machineArn } from './names.ts'

interface EndsOptions {
  readonly call: (name: FunctionName, event: unknown) => Promise<unknown>
  /** The functions that are here. */
  readonly functions: readonly FunctionName[]
  readonly log: (line: string) => void
}

/** Tells those who keep runs and failures of the beginnings and ends of executions, as rules and states do in an account. */
export const createEnds = ({ call, functions, log }: EndsOptions) => {
  const tell = async (name: FunctionName, event: object): Promise<void> => {
    if (!functions.includes(name)) return
    try {
      await call(name, event)
    } catch (error) {
      log(`${name} could not be told of an execution: ${String(error)}`)
    }
  }
  const tellRun = (record: RunningExecution | EndedExecution): Promise<void> =>
    record.stateMachineArn === machineArn('extract')
      ? tell('keep-run', statusChange(record))
      : Promise.resolve()

  return {
    onStart: tellRun,
    onEnd: async (ended: EndedExecution, details?: unknown): Promise<void> => {
      const letter = letterOf(ended, details)
      if (letter) await tell('keep-dead-letter', letter)
      await tellRun(ended)
    },
  }
}

const SILENT =
  'The execution ended before it could report a failure: it was stopped, ran out of time, or met a limit. The details are the event of its end.'

/** None for a success, nor for what somebody has cancelled. */
const letterOf = (ended: EndedExecution, details: unknown): object | undefined => {
  if (ended.status === 'SUCCEEDED') return undefined
  if (ended.error === ('storage.jobs.cancelled' satisfies ErrorCode)) return undefined
  const machine = nameOfMachine(ended.stateMachineArn)
  if (!machine) return undefined
  const failure =
    details === undefined
      ? { code: ended.error ?? ended.status, message: SILENT }
      : { code: ended.error ?? 'Error', message: ended.cause ?? '' }
  return {
    machine,
    startedAt: ended.startDate,
    letter: {
      version: 1,
      source: { machine: ended.stateMachineArn, execution: ended.executionArn },
      input: JSON.parse(ended.input),
      failure,
      details: details ?? statusChange(ended)['detail'],
      at: ended.stopDate,
      redrive: machines[machine].redrive,
    },
  }
}

const nameOfMachine = (arn: string): MachineName | undefined =>
  (Object.keys(machines) as MachineName[]).find(name => machineArn(name) === arn) // Of an object that has no other keys.
