import { UserError } from '../../lib/errors/errors.ts'
import { isContainer } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import type { Component } from '../../lib/wire/component-body.ts'
import type { ConfigurationRequest } from '../find/find-configuration.ts'
import { recordEvent } from '../http/record-event.ts'
import type { Services } from '../services/services.ts'

/** Of an event, in characters. */
const MAX_MESSAGE = 4000

/** What the author of a change should know. */
export interface Verdict {
  /** Why the changed configuration can never run. */
  refusal?: UserError
  warnings: string[]
}

/** Whether the extract machine runs configurations of the component. */
export const isRunnable = ({ hasRun, type }: Component): boolean => hasRun && type === 'extractor'

/**
 * Checks what a change does to a configuration that runs here. Reads each changed unit as a run would. A unit is an
 * enabled row merged with the root, or the root when there are no rows.
 *
 * @param before `undefined` for a new configuration
 */
export const judgeChange = async (
  component: Component,
  before: Configuration | undefined,
  next: Configuration,
): Promise<Verdict> => {
  const warnings: string[] = []
  if (!isRunnable(component)) return { warnings }
  // The schema of configurations is large, and most requests change none.
  const { changedUnits } = await import('./changed-units.ts')
  try {
    for (const { rowId, check } of changedUnits(before?.current.content, next.current.content)) {
      const place = rowId === undefined ? '' : `Row ${rowId}: `
      try {
        warnings.push(...check().map(warning => `${place}${warning}`))
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        throw new UserError(error.code, `${place}${error.message}`, { params: error.params, cause: error })
      }
    }
    return { warnings }
  } catch (error) {
    if (error instanceof UserError) return { refusal: error, warnings }
    throw error
  }
}

/** Warns the author with an event when a configuration was stored although something is wrong with it. */
export const warnOfChange = async (
  request: ConfigurationRequest,
  services: Services,
  { refusal, warnings }: Verdict,
): Promise<void> => {
  const all = refusal === undefined ? warnings : [...warnings, `It cannot run: ${refusal.message}`]
  if (all.length === 0) return
  const { componentId, configId } = request.params
  await recordEvent(request, services, {
    type: 'warn',
    event: 'storage.configurationDoubtful',
    component: componentId,
    configurationId: configId,
    message: `The configuration was stored, but: ${all.join('\n')}`.slice(0, MAX_MESSAGE),
  })
}

/**
 * Warns the author with an event when a configuration is wrapped in another `configuration` node. It is stored
 * unchanged, but the component will not find its parameters (docs/reference/storage-api.md#configuration-resource).
 */
export const warnWhenWrapped = async (
  request: ConfigurationRequest,
  services: Services,
  configuration: string | undefined,
): Promise<void> => {
  if (configuration === undefined || !isWrapped(parseJson(configuration))) return
  const { componentId, configId } = request.params
  await recordEvent(request, services, {
    type: 'warn',
    event: 'storage.configurationWrapped',
    component: componentId,
    configurationId: configId,
    message:
      'The configuration was sent inside another "configuration" node. It was stored as it was sent, and the component ' +
      'will receive it so. Send only the contents of the node.',
  })
}

const isWrapped = (value: unknown): boolean => {
  if (!isContainer(value)) return false
  const [first, ...others] = Object.entries(value)
  return first?.[0] === 'configuration' && (first[1] === null || isContainer(first[1])) && others.length === 0
}
