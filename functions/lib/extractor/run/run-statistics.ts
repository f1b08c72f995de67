import { plural } from '../../plural.ts'
import type { JobOutcome } from '../../wire/run-body.ts'
import type { Masker } from '../requests/masking/masker.ts'
import type { JobPlan } from './job-plan.ts'

/** What one job did, its runs for all parent rows together. */
export interface JobSummary extends JobOutcome {
  /** What its author should know of how its runs ended: how often, and the first sentences. */
  said?: { times: number; messages: string[] }
  /** What was seen of values and is said at the end: how often, and the first one. */
  notes?: { [kind in Note]?: { times: number; first: string } }
}

type Note = keyof typeof NOTES

/** At most so many are kept, and in the log. */
const MAX_MESSAGES = 10

/** Why a run ended after which no further page of the job is read. In the summary, so that the next leg knows it too. */
export const STOPPED_BY_RULE = 'an error rule ended the job'

/** Why nothing is asked for a row above: a placeholder with `"missing": "skip"` finds nothing there. */
export const SKIPPED_ROW = 'a row above has no value for a placeholder'

export type RunStatistics = ReturnType<typeof createRunStatistics>

/** @param before summaries of the legs before, when the run resumes from a checkpoint */
export const createRunStatistics = (prefix: string, before: readonly JobSummary[] = []) => {
  const jobs = new Map<string, JobSummary>(before.map(summary => [summary.job, structuredClone(summary)]))
  const of = (plan: JobPlan): JobSummary => {
    const job = `${prefix}${plan.path}`
    const found = jobs.get(job)
    if (found !== undefined) return found
    const { endpoint } = plan.job
    const made: JobSummary = { job, endpoint, dataType: plan.dataType, runs: 0, pages: 0, rows: 0, ended: {} }
    jobs.set(job, made)
    return made
  }
  return {
    of,
    note: (plan: JobPlan, kind: Note, first: string, times = 1): void => {
      if (times === 0) return
      const summary = of(plan)
      const before = summary.notes?.[kind]
      summary.notes = { ...summary.notes, [kind]: { first, ...before, times: (before?.times ?? 0) + times } }
    },
    ended: (plan: JobPlan, reason: string): void => {
      const reasons = of(plan).ended
      reasons[reason] = (reasons[reason] ?? 0) + 1
    },
    /** By an error rule: no further page of the job is read, in any of its runs. */
    isStopped: (plan: JobPlan): boolean => Object.hasOwn(of(plan).ended, STOPPED_BY_RULE),
    /** Keeps a sentence. Whether it is one of the first, which are in the log, too. */
    said: (plan: JobPlan, message: string): boolean => {
      const summary = of(plan)
      summary.said ??= { times: 0, messages: [] }
      const isKept = summary.said.times++ < MAX_MESSAGES
      if (isKept) summary.said.messages.push(message)
      return isKept
    },
    all: (): JobSummary[] => [...jobs.values()],
  }
}

/** What the author should know of jobs that may have stopped early. */
export const endWarnings = (jobs: readonly JobSummary[]): string[] =>
  jobs.flatMap(({ endpoint, said: { times, messages } = { times: 0, messages: [] } }) =>
    times <= MAX_MESSAGES
      ? messages
      : [
          ...messages,
          `Job '${endpoint}' has ${times - MAX_MESSAGES} more runs that ended although there may be more.`,
        ],
  )

/** What is said of values that no table, no mark and no address takes as they are. */
const NOTES = {
  nul: (times: number, first: string) =>
    `got the character NUL in ${plural(times, 'text')}, first in ${first}. No table holds it: it was left out.`,
  nothing: (times: number) =>
    `got ${plural(times, 'item that is null or has', 'items that are null or have')} no fields: no rows were made of them.`,
  ahead: (times: number, first: string) =>
    `got ${plural(times, 'row whose value of "idKey" lies', 'rows whose values of "idKey" lie')} in the future, first ${first}. They are loaded, and the next run does not begin there: it would miss what comes until then.`,
  state: (_times: number, first: string) =>
    `does not go on at ${first}, which the state holds, since that lies in the future: it reads from the beginning, so that nothing is missed.`,
  cut: (times: number, first: string) =>
    `asked ${plural(times, 'time')} with a value that is cut where it stands in the address, first ${first}. Values are put in as they are: use the function "urlencode" in "placeholders".`,
} as const

/** What was seen of values; and of jobs that no row above had a value for: some may well have none, when none has, the path is likely to be wrong. */
export const noteWarnings = (jobs: readonly JobSummary[]): string[] =>
  jobs.flatMap(({ endpoint, runs, ended, notes = {} }) => {
    const skipped = runs > 0 ? 0 : (ended[SKIPPED_ROW] ?? 0)
    const ofRows = `${skipped === 1 ? 'the only row above has' : `all ${skipped.toLocaleString('en-US')} rows above have`} no value for a placeholder with "missing": "skip". Is its "path" right?`
    const ofValues = (Object.keys(NOTES) as Note[]).flatMap(kind => {
      const note = notes[kind]
      return note === undefined ? [] : [`Job '${endpoint}' ${NOTES[kind](note.times, note.first)}`]
    })
    return [...(skipped === 0 ? [] : [`Job '${endpoint}' asked for nothing: ${ofRows}`]), ...ofValues]
  })

/** What a job did, for results: its texts are masked, its counts stay numbers, and notes are among the warnings. */
export const maskSummary = ({ notes: _, said, ...job }: JobSummary, masker: Masker): JobSummary => ({
  ...job,
  endpoint: masker.mask(job.endpoint),
  dataType: masker.mask(job.dataType),
  ended: Object.fromEntries(Object.entries(job.ended).map(([reason, times]) => [masker.mask(reason), times])),
  ...(said && { said: { ...said, messages: said.messages.map(masker.mask) } }),
})
