import { DocumentMoved } from '../lib/cloud/bucket-documents.ts'
import { executionName } from '../lib/cloud/execution-name.ts'
import type { Answer } from '../lib/drive/step.ts'
import type { ErrorCode } from '../lib/errors/codes.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { describeFailure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { authorIdsOf } from '../lib/storage/tokens/run-author.ts'
import type { Configuration } from '../lib/storage-client/seldom-read.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { RunResults } from '../lib/wire/run-body.ts'
import { beginRun, newRun, refuseChanged } from './begin-run.ts'
import { endRun } from './end-run.ts'
import { type RunExtractorEvent, runIdOf } from './event.ts'
import { loadOutputs } from './load-outputs.ts'
import type { RunStep } from './names.ts'
import { readInputs } from './read-inputs.ts'
import { enterStep, failRun, failureOf, type Run, type RunFailure, type StoredRun } from './run.ts'
import { runLeg } from './run-leg.ts'
import type { Commit, MachineServices, RunServices, StepResult } from './services.ts'

/** What is done for each row, in this order. Each step says itself which is next. */
const stepsOfRow: Readonly<
  Record<string, (run: Run, services: RunServices, commit: Commit) => Promise<StepResult>>
> = { inputs: readInputs, leg: runLeg, load: loadOutputs }

/**
 * Takes a run one step further: by one conditional write of its document, after work that may be repeated.
 *
 * The document says which step is due, not the machine: an execution that begins again from its first state resumes
 * where its run stands, and of two attempts of one step the second finds it done. A `UserError` ends the row that it
 * comes from; everything else is thrown, for the machine to retry or, at last, to report by the step `fail`.
 */
export const advanceRun = async (event: RunExtractorEvent, services: MachineServices): Promise<Answer> => {
  const { step, execution, input, failure } = event
  const { runs, now } = services
  const runId = runIdOf(execution)
  try {
    const stored = await runs.read(runId)
    if (step === 'fail') {
      const error = failureOfMachine(failure)
      if (!stored) return await refuse(event, error, services)
      if (goesOnLoading(stored.run, failure, now())) {
        services.log.warn('loads go on', { runId, ...error })
        return nextOf({ run: stored.run, waitSeconds: LOADS_PAUSE_SECONDS })
      }
      return nextOf(await runs.replace(stored, failRun(stored.run, error, now())))
    }
    if (!stored) return await begin(event, services)
    const isOver = stored.run.phase === 'end' || stored.run.phase === 'ended'
    if (step === 'end' && isOver) return await end(stored, execution, services)
    if (step !== stored.run.phase) return nextOf(stored)
    // Whoever waited behind a run that was stopped has taken its lease; two at once must not save their states.
    if (!(await services.leases.isHeld(input, execution)))
      throw new UserError(
        'extractor.run.leaseLost',
        'Another run of the configuration has begun, because this one seemed to be over.',
      )
    const { value } = await services.runTokens.openForWork(stored.run)
    return await untilStopped(execution, services, stopped =>
      work(stored, { ...services, storage: services.storageWith(value), stopped }),
    )
  } catch (error) {
    if (!(error instanceof DocumentMoved)) throw error
    // Another attempt of this step was first: what it wrote counts.
    const stored = await runs.read(runId)
    if (!stored) throw new TransientError('storage.busy', `The run ${runId} is not there, or not yet.`)
    return nextOf(stored)
  }
}

/** So long the loads of a row wait for a service that does not answer. */
const LONGEST_LOADING_MS = 6 * 3_600_000
const LOADS_PAUSE_SECONDS = 60

/**
 * Whether the loads that were asked for are waited for in spite of a failure that may pass: a row that ended between its first load and its
 * saved state would bring the same rows again in the next run.
 */
const goesOnLoading = (
  { phase, outputs, phaseStartedAt }: Run,
  { Error: name = '' }: MachineFailure = {},
  now: Date,
): boolean =>
  phase === 'load' &&
  outputs.some(({ isAsked }) => isAsked) &&
  /^(TransientError$|Lambda\.|Sandbox\.|States\.|Runtime\.)/.test(name) &&
  now.getTime() - Date.parse(phaseStartedAt) < LONGEST_LOADING_MS

const begin = async (event: RunExtractorEvent, services: MachineServices): Promise<Answer> => {
  const { execution, startedAt, input } = event
  const { leases, runs, runTokens, stackStorage, storageWith, now } = services
  const runId = runIdOf(execution)
  const ageSeconds = (now().getTime() - startedAt.getTime()) / 1000
  const refused = await stackStorage.noteState?.(runId, { status: 'processing' }).catch(refusal)
  if (refused?.code === 'storage.runs.underWay') return again('begin', waitSecondsAt(ageSeconds))
  if (refused) return { next: 'done', output: { status: 'skipped', message: refused.message } }
  const lease = await leases.take(input, execution)
  if (lease.outcome === 'held') {
    const { owner } = lease.by
    if (input.overlap === 'skip')
      return { next: 'done', output: { status: 'skipped', runningExecution: owner } }
    return { ...again('begin', waitSecondsAt(ageSeconds)), waitsFor: [executionName(owner)] }
  }
  // Stopped by hand, it had no time to give its token back.
  if (lease.deadOwner !== undefined) await runTokens.revoke(runIdOf(lease.deadOwner))
  try {
    const { componentId, configId } = input
    const configuration = await stackStorage.configuration(componentId, configId)
    refuseChanged(input, configuration)
    const authorIds = authorIdsOfRun(input, configuration)
    const { value, authors } = await runTokens.make({ runId, startedAt, authorIds, componentId, configId })
    const toBegin = { runId, input, configuration, authors }
    const { run, snapshot } = await beginRun(toBegin, { storage: storageWith(value), now })
    return nextOf(await runs.create(run, snapshot))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return refuse(event, failureOf(error), services)
  }
}

/** Who set the run off, who stored what set it off, and who stored the configuration. */
const authorIdsOfRun = (
  { authorTokenId, tokenIds = [] }: RunExtractorEvent['input'],
  configuration: Configuration,
): string[] => {
  const askers = [...(authorTokenId === undefined ? [] : [authorTokenId]), ...tokenIds]
  return [...new Set([...askers, ...authorIdsOf(configuration)])]
}

/** The run never begins, as of a configuration that is not there: what is left is its end. */
const refuse = async (
  { execution, input }: RunExtractorEvent,
  error: RunFailure,
  services: MachineServices,
): Promise<Answer> => {
  const { runs, now, log } = services
  const { message: reason, ...details } = error
  const runId = runIdOf(execution)
  const { componentId, configId } = input
  log.warn('run not begun', { runId, componentId, configId, ...details, reason })
  return end(await runs.create(newRun({ runId, input, error }, now())), execution, services)
}

const work = async (stored: StoredRun, services: RunServices): Promise<Answer> => {
  const { runs, now, log } = services
  let latest = stored
  const commit: Commit = async run => {
    latest = await runs.replace(latest, run)
    return latest
  }
  let result: StepResult
  try {
    const step = stepsOfRow[stored.run.phase]
    if (step === undefined) throw new Error(`The run ${stored.run.id} has no work left`)
    result = await step(stored.run, services, commit)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const failure = failureOf(error)
    const { message: reason, ...details } = failure
    const { id: runId, rows, rowIndex } = stored.run
    log.info('row failed', { runId, ...details, reason, row: rows[rowIndex]?.id ?? null })
    result = { run: failRun(latest.run, failure, now()) }
  }
  await commit(result.run)
  return nextOf(result)
}

const end = async (stored: StoredRun, execution: string, services: MachineServices): Promise<Answer> => {
  const { run } = stored
  const { runTokens, runs, stackStorage, storageWith, now } = services
  // One that never began has none.
  const token = await runTokens.open(run.id)
  const storage = token === undefined ? stackStorage : storageWith(token.value)
  const result = await endRun(run, execution, { ...services, storage })
  if (run.phase === 'end') await runs.replace(stored, enterStep(run, 'ended', now()))
  // After the last write: whoever repeats this step needs the token no more.
  await runTokens.revoke(run.id)
  // Its job ends, and the execution.
  const { error } = result
  const failure = error && { code: error.code, message: `${placeOf(error)}${error.message}` }
  const state = failure
    ? { status: 'error' as const, ...failure }
    : { status: 'success' as const, results: result }
  // Somebody has cancelled it meanwhile, or the attempt before came so far.
  await stackStorage.noteState?.(run.id, state).catch(refusal)
  return failure ? { next: 'failed', failure, details: result } : { next: 'done', output: result }
}

/** Its job has ended, or the one before it has not. */
const refusal = (error: unknown): UserError => {
  if (error instanceof UserError && ['storage.jobs.ended', 'storage.runs.underWay'].includes(error.code))
    return error
  throw error
}

const placeOf = ({ rowId, job, request }: NonNullable<RunResults['error']>): string => {
  const parts = [rowId && `row ${rowId}`, job !== undefined && `job ${job}`, request].filter(Boolean)
  return parts.length === 0 ? '' : `${parts.join(', ')}: `
}

const nextOf = ({ run, waitSeconds = 0, waitsFor }: StepResult): Answer => ({
  ...again(run.phase === 'ended' ? 'end' : run.phase, waitSeconds),
  ...(waitsFor && { waitsFor }),
})

const again = (step: RunStep, waitSeconds: number) => ({
  next: 'again' as const,
  waitSeconds,
  state: { step },
})

/** A function that failed without a code of ours says only what kind of error it was. */
const failureOfMachine = (failure: MachineFailure = {}): RunFailure => {
  const { code, message } = describeFailure(failure)
  return {
    code: code === 'UserError' ? ('extractor.run.failed' satisfies ErrorCode) : code,
    message: message || 'The run failed without saying why.',
  }
}

const LOOK_MS = 5_000

/** Does a piece of work, and tells it when its execution was stopped meanwhile. */
export const untilStopped = async <Result>(
  execution: string,
  { isRunning, log }: Pick<MachineServices, 'isRunning' | 'log'>,
  work: (stopped: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const stop = new AbortController()
  const look = async (): Promise<void> => {
    if (!(await isRunning(execution))) stop.abort()
  }
  const timer = setInterval(
    () =>
      void look().catch(error => log.warn('execution not looked at', { execution, error: String(error) })),
    LOOK_MS,
  )
  try {
    return await work(stop.signal)
  } finally {
    clearInterval(timer)
  }
}
