import { UserError } from '../../lib/errors/errors.ts'
import { isContainer } from '../../lib/json/json-value.ts'
import { objectOf } from '../../lib/json/key-order.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import type { Content } from '../../lib/storage/configurations/configuration.ts'
import type { Handling } from '../../lib/storage-client/prefer-header.ts'
import type { Component } from '../../lib/wire/component-body.ts'
import type { ConfigurationWarning } from '../../lib/wire/configuration-body.ts'
import type { ConfigurationRequest } from '../find/find-configuration.ts'
import { recordEvent } from '../http/record-event.ts'
import type { Services } from '../services/services.ts'
import type { Finding } from './changed-units.ts'

/** Of an event, in characters. */
const MAX_MESSAGE = 4000

/** Whether the extract machine runs configurations of the component. */
export const isRunnable = ({ hasRun, type }: Component): boolean => hasRun && type === 'extractor'

interface Change {
  component: Component
  /** Absent: everything is new. */
  before?: Content | undefined
  next: Content
  /** Something else than its own schedule starts it by the clock. */
  isTimed?: boolean
}

/**
 * What the author of a change should know, besides what was done.
 *
 * A configuration that cannot run is refused or stored, as the client prefers: `strict` refuses each, `lenient` stores a
 * draft, which has no schedule. Without a word what could never run is refused, and what Generic Extractor would run is stored.
 * What is still incomplete is a draft for everybody, and what comes back from history (`returns`) is never refused.
 *
 * @throws UserError why it is refused
 */
export const judgeChange = async (
  { component, before, next, isTimed = false }: Change,
  handling: Handling | 'returns',
): Promise<ConfigurationWarning[]> => {
  const remarks = wrappedIn(before, next)
  if (!isRunnable(component)) return remarks
  // The schema of configurations is large, and most requests change none.
  const { findingsOf, isScheduled } = await import('./changed-units.ts')
  const findings = [...findingsOf(before, next)]
  const refused = findings.find(({ kind }) => refusedKinds[handling].includes(kind))
  if (refused) throw sentenceOf(refused)

  const stop = findings.find(({ kind }) => kind !== 'remark')
  const schedule = stop && (isTimed || isScheduled(next)) ? sentenceOf(stop) : undefined
  if (schedule && (handling === 'strict' || handling === 'lenient'))
    throw new UserError(
      'schedule.invalid',
      `A draft has no schedule, and this configuration cannot run: ${schedule.message}\nMend it, take "schedule" out, or add "isEnabled": false to it.`,
    )
  return [
    ...remarks,
    ...findings.flatMap(warningsOf),
    ...(schedule
      ? [
          {
            place: placeIn(undefined, 'schedule'),
            message: `Its schedule starts runs that fail, since it cannot run: ${schedule.message}`,
          },
        ]
      : []),
  ]
}

const refusedKinds: Readonly<Record<Handling | 'returns', readonly Finding['kind'][]>> = {
  strict: ['mistake', 'onlyCompat'],
  unsaid: ['mistake'],
  lenient: [],
  returns: [],
}

const placeIn = (rowId: string | undefined, at = ''): string =>
  [...(rowId === undefined ? [] : ['rows', rowId]), 'configuration', at].filter(Boolean).join('.')

const sentenceOf = ({ rowId, error }: Finding): UserError =>
  rowId === undefined
    ? error
    : new UserError(error.code, `Row ${rowId}: ${error.message}`, { params: error.params, cause: error })

const warningsOf = ({ kind, rowId, error }: Finding): ConfigurationWarning[] => {
  if (kind === 'incomplete') return []
  if (kind === 'remark') return [{ place: placeIn(rowId, 'schedule'), message: error.message }]
  if (kind === 'mistake') return [{ place: placeIn(rowId), message: `It cannot run: ${error.message}` }]
  const { problems } = error.params as { problems: ConfigurationWarning[] } // of what the schema refuses
  return problems.map(({ place, message }) => ({
    place: placeIn(rowId, place),
    message: `${message}. It will not run like this; with "compat": true in parameters.config it does.`,
  }))
}

/** Keys of the root that each run sets by itself: they are no part of what is stored. */
const setByRuns = ['image_parameters', 'action']

/** A configuration as it is stored: without what each run sets by itself, which is said. What lies deeper is data. */
export const withoutSetByRuns = (
  configuration: object,
): { configuration: object; warnings: ConfigurationWarning[] } => {
  const given = setByRuns.filter(key => Object.hasOwn(configuration, key))
  if (given.length === 0) return { configuration, warnings: [] }
  return {
    configuration: objectOf(Object.entries(configuration).filter(([key]) => !setByRuns.includes(key))),
    warnings: given.map(key => ({
      place: placeIn(undefined, key),
      message: `"${key}" was not stored: each run sets it by itself.`,
    })),
  }
}

/** Warns the author with an event when a configuration was stored although something is wrong with it. */
export const warnOfChange = async (
  request: ConfigurationRequest,
  services: Services,
  warnings: readonly ConfigurationWarning[],
): Promise<void> => {
  if (warnings.length === 0) return
  const { componentId, configId } = request.params
  const all = warnings.map(({ place, message }) => `${place}: ${message}`)
  await recordEvent(request, services, {
    type: 'warn',
    event: 'storage.configurationDoubtful',
    component: componentId,
    configurationId: configId,
    message: `The configuration was stored, but: ${all.join('\n')}`.slice(0, MAX_MESSAGE),
  })
}

/**
 * Of a configuration or a row that comes inside another `configuration` node. It is stored unchanged, but the component will not find its
 * parameters (docs/reference/storage-api.md#configuration-resource).
 */
const wrappedIn = (before: Content | undefined, next: Content): ConfigurationWarning[] => {
  const known = new Map(before?.rows.map(({ id, configuration }) => [id, configuration]))
  const texts = [
    { rowId: undefined, text: next.configuration, was: before?.configuration },
    ...next.rows.map(({ id, configuration }) => ({ rowId: id, text: configuration, was: known.get(id) })),
  ]
  return texts
    .filter(({ text, was }) => text !== was && isWrapped(parseJson(text)))
    .map(({ rowId }) => ({
      place: placeIn(rowId),
      message:
        'It was sent inside another "configuration" node. It was stored as it was sent, and the component will receive it so. ' +
        'Send only the contents of the node.',
    }))
}

const isWrapped = (value: unknown): boolean => {
  if (!isContainer(value)) return false
  const [first, ...others] = Object.entries(value)
  return first?.[0] === 'configuration' && (first[1] === null || isContainer(first[1])) && others.length === 0
}
