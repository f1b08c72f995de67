import { UserError } from '../../lib/errors/errors.ts'
import { missingSections } from '../../lib/extractor/config/component-config.ts'
import { checkConfiguration } from '../../lib/extractor/run/check-configuration.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { readConfigurationSchedule } from '../../lib/schedules/configuration-schedule.ts'
import { type Content, rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { mergeConfiguration } from '../../lib/storage/configurations/merge-configuration.ts'

/**
 * What keeps a unit from running: a mistake that no run takes, one that Generic Extractor takes, or what is still to come. Or a remark on
 * one that runs.
 */
export interface Finding {
  kind: 'mistake' | 'onlyCompat' | 'incomplete' | 'remark'
  /** The row; absent: the root. */
  rowId?: string | undefined
  error: UserError
}

/**
 * What there is to say of what a change affects: the enabled rows, merged with the root, or the root itself when there are no rows. Each
 * is read as a run would.
 */
export function* findingsOf(before: Content | undefined, next: Content): Generator<Finding> {
  const root = objectOf(next.configuration)
  const isRootChanged = before?.configuration !== next.configuration
  if (isRootChanged) {
    yield* tried(undefined, () => void readConfigurationSchedule(root['schedule'], ''))
    if (next.rows.length === 0) yield* tried(undefined, () => checkConfiguration(root), root)
  }
  const known = new Map(before?.rows.map(row => [row.id, row]))
  for (const { id: rowId, configuration, isDisabled } of rowsInOrder(next)) {
    const was = known.get(rowId)
    const isSame = was !== undefined && !was.isDisabled && was.configuration === configuration
    if (isDisabled || (isSame && !isRootChanged)) continue
    const row = objectOf(configuration)
    if ('schedule' in row) yield { kind: 'remark', rowId, error: ignoredSchedule }
    const merged = mergeConfiguration(root, row)
    yield* tried(rowId, () => checkConfiguration(merged), merged)
  }
}

const ignoredSchedule = new UserError(
  'schedule.invalid',
  '"schedule" is ignored here: it belongs in the root configuration.',
)

/** Whether the configuration starts runs by itself, or is meant to. */
export const isScheduled = ({ configuration, isDeleted }: Content): boolean => {
  try {
    return (
      !isDeleted && readConfigurationSchedule(objectOf(configuration)['schedule'], '')?.isEnabled === true
    )
  } catch {
    return true
  }
}

function* tried(
  rowId: string | undefined,
  check: () => UserError | undefined,
  whole?: Record<string, unknown>,
): Generator<Finding> {
  try {
    const error = check()
    if (error) yield { kind: 'onlyCompat', rowId, error }
    const missing = whole === undefined ? [] : missingSections(whole)
    if (missing.length > 0)
      yield {
        kind: 'incomplete',
        rowId,
        error: new UserError('extractor.config.invalid', `It lacks ${missing.join(' and ')}.`),
      }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    yield { kind: 'mistake', rowId, error }
  }
}

const objectOf = (text: string): Record<string, unknown> => parseJson(text) as Record<string, unknown> // only objects are stored
