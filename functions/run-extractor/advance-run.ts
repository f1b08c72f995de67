import { DocumentMoved } from '../lib/cloud/bucket-documents.ts'
import { executionName } from '../lib/cloud/execution-name.ts'
import type { Answer } from '../lib/drive/step.ts'
import type { ErrorCode } from '../lib/errors/codes.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { describeFailure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { createMasker, maskError } from '../lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../lib/extractor/requests/masking/secrets-of.ts'
import { authorIdsOf } from '../lib/storage/tokens/run-author.ts'
import type { Configuration } from '../lib/storage-client/seldom-read.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { RunResults } from '../lib/wire/run-body.ts'
import { beginRun, newRun, refuseChanged } from './begin-run.ts'
import { endRun } from './end-run.ts'
import { type RunExtractorEvent, runIdOf } from './event.ts'
import { loadOutputs, saveState } from './load-outputs.ts'
import type { RunStep } from './names.ts'
import { readInputs } from './read-inputs.ts'
import { enterStep, failRun, failureOf, type Run, type RunFailure, type StoredRun } from './run.ts'
import { openRow, runLeg } from './run-leg.ts'
import type { Commit, MachineServices, RunServices, StepResult } from './services.ts'

/**
 * Takes a run one step further: by one conditional write of its document, after work that may be repeated.
 *
 * The document says which step is due, not the machine: an execution that begins again from its first state resumes
 * where its run stands, and of two attempts of one step the second finds it done. A `UserError` ends the row that it
 * comes from; everything else is thrown, for the machine to retry or, at last, to report by the step `fail`.
 */
export const advanceRun = async (event: RunExtractorEvent, services: MachineServices): Promise<Answer> => {
  const { step, execution, input } = event
  const { runs, now } = services
  const runId = runIdOf(execution)
  const stored = await runs.read(runId)
  if (!stored) {
    if (step === 'fail') return failWithoutRun(event, failureOfMachine(event.failure), services)
    return begin(runId, event, services)
  }

  try {
    if (step === 'fail') {
      const failed = failRun(stored.run, failureOfMachine(event.failure), now())
      return nextOf({ run: (await runs.replace(stored, failed)).run })
    }
    if (step === 'end') return await end(stored, execution, services)
    if (step !== stored.run.phase) return nextOf(stored)
    // Whoever waited behind a run that was stopped has taken its lease; two at once must not save their states.
    if (!(await services.leases.isHeld(input, execution)))
      throw new UserError('extractor.run.leaseLost', LEASE_LOST)
    const { value } = await services.runTokens.openForWork(stored.run)
    return await untilStopped(execution, services, stopped =>
      work(stored, { ...services, storage: services.storageWith(value), stopped }),
    )
  } catch (error) {
    // Another attempt of this step was first: what it wrote counts.
    if (error instanceof DocumentMoved) return nextOf(await reread(runId, services))
    throw error
  }
}

const LEASE_LOST = 'Another run of the configuration has begun, because this one seemed to be over.'

const begin = async (runId: string, event: RunExtractorEvent, services: MachineServices): Promise<Answer> => {
  const { execution, startedAt, input } = event
  const { leases, runs, runTokens, stackStorage, storageWith, now } = services
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
    if (error instanceof DocumentMoved) return nextOf(await reread(runId, services))
    if (error instanceof UserError) return failWithoutRun(event, failureOf(error), services)
    throw error
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

const work = async (stored: StoredRun, services: RunServices): Promise<Answer> => {
  const { runs, now, log } = services
  let latest = stored
  const commit: Commit = async run => {
    latest = await runs.replace(latest, run)
    return latest
  }
  let result: StepResult
  try {
    result = await workOf(stored.run, services, commit)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const failure = failureOf(await masked(error, stored.run, services))
    const { message: reason, ...details } = failure
    log.info('row failed', {
      runId: stored.run.id,
      ...details,
      reason,
      row: stored.run.rows[stored.run.rowIndex]?.id ?? null,
    })
    result = { run: failRun(latest.run, failure, now()) }
  }
  await commit(result.run)
  return nextOf(result)
}

/** A service that says why it did not load a table may repeat a cell of it. */
const masked = async (error: UserError, run: Run, services: RunServices): Promise<UserError> => {
  if (run.phase !== 'load') return error
  const { opened } = await openRow(run, services)
  return maskError(error, createMasker(secretsOf(opened).values())) as UserError // keeps the kind
}

const workOf = (run: Run, services: RunServices, commit: Commit): Promise<StepResult> => {
  switch (run.phase) {
    case 'inputs':
      return readInputs(run, services, commit)
    case 'leg':
      return runLeg(run, services)
    case 'load':
      return loadOutputs(run, services, commit)
    case 'save':
      return saveState(run, services)
    case 'end':
    case 'ended':
      throw new Error(`The run ${run.id} has no work left`)
  }
}

const end = async (stored: StoredRun, execution: string, services: MachineServices): Promise<Answer> => {
  const { run } = stored
  const { runTokens, runs, storageWith, now } = services
  if (run.phase !== 'end' && run.phase !== 'ended') return nextOf(stored)
  const { value } = await runTokens.open(run.id)
  const result = await endRun(run, execution, { ...services, storage: storageWith(value) })
  if (run.phase === 'end') await runs.replace(stored, enterStep(run, 'ended', now()))
  // After the last write: whoever repeats this step needs the token no more.
  await runTokens.revoke(run.id)
  return ended(run.id, result, services)
}

/** Ends the job that the run is, and the execution. */
const ended = async (
  runId: string,
  result: RunResults,
  { stackStorage }: Pick<MachineServices, 'stackStorage'>,
): Promise<Answer> => {
  const { error } = result
  const failure = error && { code: error.code, message: `${placeOf(error)}${error.message}` }
  const state = failure
    ? { status: 'error' as const, ...failure }
    : { status: 'success' as const, results: result }
  // Somebody has cancelled it meanwhile, or the attempt before came so far.
  await stackStorage.noteState?.(runId, state).catch(refusal)
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

/** The run never began: a configuration that is not there, for one. */
const failWithoutRun = async (
  { execution, input }: RunExtractorEvent,
  error: RunFailure,
  services: MachineServices,
): Promise<Answer> => {
  const { stackStorage, runTokens } = services
  const { componentId, configId } = input
  const runId = runIdOf(execution)
  services.log.warn('run not begun', {
    runId,
    componentId,
    configId,
    code: error.code,
    reason: error.message,
  })
  const begun = newRun({ runId, input, configuration: { version: 0 }, authors: [] }, services.now())
  const run: Run = { ...begun, continueOnFailure: false, rows: [], error }
  const result = await endRun(run, execution, { ...services, storage: stackStorage })
  await runTokens.revoke(runId)
  return ended(runId, result, services)
}

const reread = async (runId: string, { runs }: Pick<RunServices, 'runs'>): Promise<StoredRun> => {
  const stored = await runs.read(runId)
  if (!stored) throw new TransientError('storage.busy', `The run ${runId} is not there, or not yet.`)
  return stored
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
