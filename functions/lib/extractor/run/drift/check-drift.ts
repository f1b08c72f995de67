import { basename } from 'node:path'
import type { Config } from '../../config/config-schema.ts'
import { deletionColumnOf } from '../../config/deletions-schema.ts'
import { type DriftRule, type DriftSettings, driftOf } from '../../config/drift-schema.ts'
import type { Job } from '../../config/job-schema.ts'
import type { WrittenTable } from '../../tables/sink-types.ts'
import { compareProfiles, type DriftChange, nextProfile } from './compare-profiles.ts'
import { MAX_TABLES, type StoredProfile } from './stored-profiles.ts'
import { MAX_COLUMNS, profileTable } from './table-profile.ts'

/** How the tables of a run differ from those of the last one. */
export interface DriftReport {
  compared: number
  changes: (DriftChange & { rule: DriftRule })[]
  /** What was not looked at, in words. */
  limits: string[]
}

interface CheckedDrift {
  report: DriftReport
  /** What the next run is compared with. */
  profiles: Map<string, StoredProfile>
}

export interface CheckOptions {
  tables: readonly WrittenTable[]
  configs: readonly Config[]
  before: ReadonlyMap<string, StoredProfile>
  /** Replaces the secrets of a name: an API may give its tables and columns any. */
  mask: (name: string) => string
}

/** Compares finished tables with the last run; `undefined` when no job asks for it. Reads each table once. */
export const checkDrift = async ({
  tables,
  configs,
  before: unmasked,
  mask,
}: CheckOptions): Promise<CheckedDrift | undefined> => {
  const settings = settingsByType(configs)
  const marks = marksByType(configs)
  if (settings.size === 0) return undefined
  const before = maskNames(unmasked, mask)
  const profiles = new Map<string, StoredProfile>()
  const report: DriftReport = { compared: 0, changes: [], limits: [] }

  const compare = (table: string, now: StoredProfile, rules: DriftSettings): void => {
    const earlier = before.get(table)
    profiles.set(table, { ...now, ...nextProfile(earlier, now) })
    if (earlier === undefined) return
    report.compared++
    const isWhole = now.isWhole && earlier.isWhole
    const changes = compareProfiles({ table, before: earlier, now, isWhole }, rules)
    report.changes.push(...changes.map(change => ({ ...change, rule: rules.rule })))
  }

  for (const table of tables) {
    const [type, rules] = strictest(table.types, settings) ?? []
    if (type === undefined || rules === undefined) continue
    const name = mask(basename(table.file))
    if (profiles.size >= MAX_TABLES) {
      report.limits.push(`table '${name}' was not looked at: there are more than ${MAX_TABLES}`)
      continue
    }
    if (table.columns.length > MAX_COLUMNS)
      report.limits.push(`of table '${name}' the first ${MAX_COLUMNS} columns were looked at`)
    const mark = table.types.map(one => marks.get(one)).find(one => one && table.columns.includes(one))
    const profile = await profileTable(table.file, table.columns, mark)
    const columns = maskColumns(profile.columns, mask)
    compare(
      name,
      { ...profile, columns, type, isWhole: mark !== undefined || table.isIncremental !== true },
      rules,
    )
  }
  // A table without rows may not be written at all
  for (const [name, earlier] of before) {
    const rules = settings.get(earlier.type)
    if (rules === undefined || profiles.has(name) || tables.some(({ file }) => mask(basename(file)) === name))
      continue
    compare(name, { ...earlier, rows: 0, columns: [] }, rules)
  }
  return { report, profiles }
}

/** A profile of an earlier run may hold what is a secret now. */
const maskNames = (
  profiles: CheckOptions['before'],
  mask: CheckOptions['mask'],
): Map<string, StoredProfile> =>
  new Map(
    [...profiles].map(([name, profile]) => [
      mask(name),
      { ...profile, columns: maskColumns(profile.columns, mask) },
    ]),
  )

const maskColumns = (
  columns: StoredProfile['columns'],
  mask: CheckOptions['mask'],
): StoredProfile['columns'] => columns.map(column => ({ ...column, name: mask(column.name) }))

const order: readonly DriftRule[] = ['note', 'warn', 'hold', 'fail']

const isStricter = (one: DriftSettings, other: DriftSettings | undefined): boolean =>
  other === undefined || order.indexOf(one.rule) > order.indexOf(other.rule)

/** Of jobs that write the same data type the strictest rule holds. */
const settingsByType = (configs: readonly Config[]): Map<string, DriftSettings> => {
  const settings = new Map<string, DriftSettings>()
  const visit = (jobs: readonly Job[], shared: Config['drift']): void => {
    for (const job of jobs) {
      const written = job.drift ?? shared
      const type = job.dataType || job.endpoint
      if (written !== undefined) {
        const one = driftOf(written)
        if (isStricter(one, settings.get(type))) settings.set(type, one)
      }
      visit(job.children ?? [], shared)
    }
  }
  for (const { jobs, drift } of configs) visit(jobs, drift)
  return settings
}

/** The column that marks rows that are gone, of data types that have one: such a table is loaded by its key, and read whole. */
const marksByType = (configs: readonly Config[]): Map<string, string> => {
  const marks = new Map<string, string>()
  const visit = (jobs: readonly Job[]): void => {
    for (const job of jobs) {
      const column = deletionColumnOf(job)
      if (column !== undefined) marks.set(job.dataType || job.endpoint, column)
      visit(job.children ?? [])
    }
  }
  for (const { jobs } of configs) visit(jobs)
  return marks
}

const strictest = (
  types: readonly string[],
  settings: ReadonlyMap<string, DriftSettings>,
): [string, DriftSettings] | undefined => {
  let found: [string, DriftSettings] | undefined
  for (const type of types) {
    const one = settings.get(type)
    if (one !== undefined && isStricter(one, found?.[1])) found = [type, one]
  }
  return found
}
