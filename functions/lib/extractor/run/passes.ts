import { isDeepStrictEqual } from 'node:util'
import { completenessOf } from '../config/completeness-schema.ts'
import { incomplete, unstable } from '../paging/completeness/run-check.ts'
import type { RunChecks } from '../paging/completeness/run-checks.ts'
import { endChecked } from './check-run.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun, Passes, PendingPage } from './job-run.ts'

/** How often the pages of one run of a job are read at most, until two passes after each other gave the same rows. */
const MAX_PASSES = 5

/** The passes of a run that is read in passes; begun with its first page. */
export const passesOf = (run: JobRun, { checks }: JobContext): Passes | undefined => {
  const { completeness } = run.plan.job
  if (checks === undefined || completeness === undefined) return undefined
  if (completenessOf(completeness).mode !== 'repair') return undefined
  run.passes ??= newPass(checks, { number: 1, before: undefined, moved: [] })
  run.check = run.passes.check
  return run.passes
}

const newPass = (checks: RunChecks, begun: Pick<Passes, 'number' | 'before' | 'moved'>): Passes => {
  const check = checks.start()
  return { ...begun, check, recording: checks.recordingOf(check) }
}

/** A pass may end with an answer that an error rule ignores. */
export const noteEmptyPage = ({ passes }: JobRun, { checks }: JobContext): void => {
  if (passes !== undefined) checks?.note(passes.check, { rows: 0, ids: [] })
}

/**
 * After the last page of a pass: the first page of the next one; or the pages that were recorded, when the rows are known
 * to be all and the same as before.
 *
 * @param cut why not all pages were asked for: then what there is counts, and is not compared
 * @throws UserError `extractor.job.unstable`, or `extractor.job.incomplete` for what stays wrong in every pass
 */
export const endPass = (
  run: JobRun,
  passes: Passes,
  cut: string | undefined,
  context: JobContext,
): PendingPage | undefined => {
  const { check, before, number, moved } = passes
  if (cut !== undefined) return playRecording(run, passes, cut, context)
  const findings = check.findings()
  const isSame = before !== undefined && check.hasSameRowsAs(before)
  if (isSame && findings.length === 0) return playRecording(run, passes, undefined, context)
  const job = run.request.endpoint ?? run.plan.job.endpoint
  const isLast = number === MAX_PASSES
  if (isSame && (isLast || isDeepStrictEqual(findings, before.findings()))) throw incomplete(job, findings)
  const difference = before && `pass ${number}: ${isSame ? findings.join('; ') : check.movedFrom(before)}`
  const said = difference === undefined ? moved : [...moved, difference]
  if (isLast) throw unstable(job, said)
  context.log.info(`Job '${job}' is read again, pass ${number + 1} of at most ${MAX_PASSES}.`)
  return nextPass(run, passes, said, context)
}

const nextPass = (
  run: JobRun,
  { number, check, before, recording }: Passes,
  moved: string[],
  { checks, now }: JobContext,
): PendingPage => {
  if (checks === undefined) throw new Error('A pass without checks')
  recording.discard()
  if (before !== undefined) checks.end(before)
  run.passes = newPass(checks, { number: number + 1, before: check, moved })
  run.progress = { pages: 0, items: 0, volume: 0, startedAt: now() }
  run.lastPage = undefined
  run.lastFingerprint = undefined
  run.watch = undefined
  return { run, request: run.paginator.first }
}

/** From here on the run has the rows of its last pass and no other. */
const playRecording = (
  run: JobRun,
  { number, check, before, recording, moved }: Passes,
  cut: string | undefined,
  context: JobContext,
): PendingPage | undefined => {
  if (before !== undefined) context.checks?.end(before)
  run.check = check
  run.passes = undefined
  run.isRecorded = true
  const said =
    cut === undefined || number === 1
      ? cut
      : `${cut.replace(/\.$/, '')} in pass ${number}, which had ${run.progress.items} rows: the rows of the pass before are not kept`
  endChecked(run, { cut: said, findings: [], passes: { count: number, moved } }, context)
  const file = recording.finish()
  if (file === undefined) {
    recording.discard()
    return undefined
  }
  const items = { file, at: 0 }
  const { endpoint } = run.paginator.first
  const fetched = {
    response: null,
    isParsed: false,
    headers: {},
    url: endpoint,
    body: Buffer.alloc(0),
    items,
  }
  return { run, request: run.paginator.first, fetched }
}
