import type { ErrorCode } from '#lib/errors/codes.ts'
import { type FunctionName, type MachineName, machines } from '../../infra/system.ts'
import type { TellEnd } from '../machines/ends.ts'
import { type EndedExecution, type RunningExecution, statusChange } from '../machines/execution-store.ts'
import { machineArn } from './names.ts'

interface EndsOptions {
  readonly call: (name: FunctionName, event: unknown) => Promise<unknown>
  /** The functions that are here. */
  readonly functions: readonly FunctionName[]
}

/** Tells those who keep runs and failures of the beginnings and ends of executions, as rules and states do in an account. */
export const createEnds = ({ call, functions }: EndsOptions) => {
  const isHere = (name: FunctionName): boolean => functions.includes(name)
  const isRun = ({ stateMachineArn }: RunningExecution | EndedExecution): boolean =>
    stateMachineArn === machineArn('extract') && isHere('keep-run')
  const letterFor = (ended: EndedExecution, details: unknown): object | undefined =>
    isHere('keep-dead-letter') ? letterOf(ended, details) : undefined

  const tellEnd: TellEnd = {
    isHeard: (ended, details) => isRun(ended) || letterFor(ended, details) !== undefined,
    tell: async (ended, details) => {
      const letter = letterFor(ended, details)
      if (letter) await call('keep-dead-letter', letter)
      if (isRun(ended)) await call('keep-run', statusChange(ended))
    },
  }
  return {
    onStart: async (record: RunningExecution): Promise<void> => {
      if (isRun(record)) await call('keep-run', statusChange(record))
    },
    tellEnd,
  }
}

const SILENT =
  'The execution ended before it could report a failure: it was stopped, ran out of time, or met a limit. The details are the event of its end.'

/** None for a success, nor for what somebody has cancelled. */
const letterOf = (ended: EndedExecution, details: unknown): object | undefined => {
  if (ended.status === 'SUCCEEDED') return undefined
  if (ended.status !== 'FAILED' && ended.error === ('storage.jobs.cancelled' satisfies ErrorCode))
    return undefined
  const machine = nameOfMachine(ended.stateMachineArn)
  if (!machine) return undefined
  const failure =
    details === undefined
      ? { code: ended.status, message: SILENT }
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
