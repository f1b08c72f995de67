import { isObject } from '../../json/json-value.ts'
import type { Config, ConfigFile } from './config-schema.ts'
import { dataTypeOf, type Job } from './job-schema.ts'

/** A job that gets only a part of its rows. Replacing its table with them would lose all others. */
export interface ChangesOnlyJob {
  /** Position such as `0.1`: job 0, child 1. */
  path: string
  dataType: string
  /** What in the configuration says so. */
  because: string
  /** By `incremental`. Generic Extractor has no such key, so nobody relies on what it would do. */
  isMarked: boolean
}

type Reason = Pick<ChangesOnlyJob, 'because' | 'isMarked'>

/** The jobs of one iteration that ask only for what changed since an earlier run. */
export const changesOnlyJobs = (config: Config, file: ConfigFile): ChangesOnlyJob[] => {
  const because = sharedReason(file)
  return findIn(config.jobs, '', because === undefined ? undefined : { because, isMarked: false })
}

const findIn = (jobs: readonly Job[], parent: string, inherited: Reason | undefined): ChangesOnlyJob[] =>
  jobs.flatMap((job, index) => {
    const path = parent === '' ? String(index) : `${parent}.${index}`
    const reason = reasonOf(job) ?? inherited
    if (reason === undefined) return findIn(job.children ?? [], path, undefined)
    // Rows of the parent that were not asked for have no children either
    const below = { ...reason, because: `job ${path} above it asks so` }
    return [{ path, dataType: dataTypeOf(job), ...reason }, ...findIn(job.children ?? [], path, below)]
  })

const reasonOf = ({ incremental, params, body }: Job): Reason | undefined => {
  if (incremental !== undefined) return { because: '"incremental"', isMarked: true }
  if (readsPreviousStart(params) || readsPreviousStart(body))
    return { because: '{"time": "previousStart"} in its request', isMarked: false }
  return undefined
}

/** What narrows every job. */
const sharedReason = ({ parameters, storage }: ConfigFile): string | undefined => {
  const isIterating = parameters.iterations !== undefined && parameters.iterations.length > 0
  const changed = storage?.input?.tables?.find(({ changed_since }) => Boolean(changed_since))
  if (isIterating && changed !== undefined)
    return `"changed_since" of the input table ${changed.source}, which it iterates over`
  return undefined
}

/** Whether an expression refers to the start of the last run, at any depth. */
const readsPreviousStart = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(readsPreviousStart)
  if (!isObject(value)) return false
  if (value['time'] === 'previousStart' && Object.keys(value).length === 1) return true
  return Object.values(value).some(readsPreviousStart)
}
