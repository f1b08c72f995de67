import { checkConfiguration } from '../../lib/extractor/run/check-configuration.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { readConfigurationSchedule } from '../../lib/schedules/configuration-schedule.ts'
import { type Content, rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { mergeConfiguration } from '../../lib/storage/configurations/merge-configuration.ts'

interface Unit {
  rowId?: string
  /** Returns warnings, or throws the `UserError` for which the unit can never run. */
  check: () => string[]
}

/** The enabled rows that a change affects, merged with the root; the root itself when there are no rows. */
export function* changedUnits(before: Content | undefined, next: Content): Generator<Unit> {
  const root = objectOf(next.configuration)
  const isRootChanged = before?.configuration !== next.configuration
  if (isRootChanged) {
    yield { check: () => checkSchedule(root) }
    if (next.rows.length === 0) yield { check: () => checkConfiguration(root) }
  }
  const known = new Map(before?.rows.map(row => [row.id, row]))
  for (const { id: rowId, configuration, isDisabled } of rowsInOrder(next)) {
    const was = known.get(rowId)
    const isSame = was !== undefined && !was.isDisabled && was.configuration === configuration
    if (isDisabled || (isSame && !isRootChanged)) continue
    const row = objectOf(configuration)
    yield {
      rowId,
      check: () => [...scheduleOfRow(row), ...checkConfiguration(mergeConfiguration(root, row))],
    }
  }
}

const objectOf = (text: string): Record<string, unknown> => parseJson(text) as Record<string, unknown> // only objects are stored

const checkSchedule = ({ schedule }: Record<string, unknown>): string[] => {
  readConfigurationSchedule(schedule, 0)
  return []
}

const scheduleOfRow = (row: Record<string, unknown>): string[] =>
  'schedule' in row ? ['"schedule" is ignored here: it belongs in the root configuration.'] : []
