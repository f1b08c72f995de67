import { UserError } from '../../lib/errors/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { emptyObject, rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { mergeConfiguration } from '../../lib/storage/configurations/merge-configuration.ts'
import { isRunnable } from '../configurations/judge-change.ts'
import { type ConfigurationRequest, findComponent, findConfiguration } from '../find/find-configuration.ts'
import type { Services } from '../services/services.ts'

type JsonObject = Record<string, unknown>

/** What runs as one: a row merged with its root, or a configuration without rows. Secrets are sealed. */
interface TrialUnit {
  rowId: string | null
  name: string
  configuration: JsonObject
  state: JsonObject
}

/**
 * What is tried of a stored configuration: the row that is named, or its first enabled row, or the configuration itself when it has
 * no rows.
 * Errors: 404 `notFound`; 400 `storage.components.notRunnable` for a component that does not run here.
 */
export const findTrialUnit = async (
  request: Pick<ConfigurationRequest, 'params' | 'branchId'>,
  rowId: string | undefined,
  services: Services,
) => {
  const { imageParameters } = findRunnable(request.params.componentId, services)
  const configuration = await findConfiguration(request, services)
  const { content } = configuration.current
  const root = objectOf(content.configuration)
  const row = rowsInOrder(content).find(({ id, isDisabled }) =>
    rowId === undefined ? !isDisabled : id === rowId,
  )
  if (row === undefined && rowId !== undefined)
    throw new UserError('notFound', `The configuration has no row ${rowId.slice(0, 100)}`)
  if (row === undefined && content.rows.length > 0)
    throw new UserError('notFound', 'All rows of the configuration are disabled. Name the one to preview.')
  const state = configuration.rows.find(({ id }) => id === row?.id)?.state ?? emptyObject
  const unit: TrialUnit =
    row === undefined
      ? { rowId: null, name: content.name, configuration: root, state: objectOf(configuration.state) }
      : {
          rowId: row.id,
          name: row.name,
          configuration: mergeConfiguration(root, objectOf(row.configuration)),
          state: objectOf(state),
        }
  return { configuration, unit, imageParameters }
}

/** The component, with what the operator set for it. Error: 400 `storage.components.notRunnable` for one that does not run here. */
export const findRunnable = (componentId: string, services: Services) => {
  const component = findComponent(services, componentId)
  if (!services.runsConfigurations || !isRunnable(component))
    throw new UserError(
      'storage.components.notRunnable',
      `The component ${component.id} cannot be run here, so it cannot be tried either.`,
    )
  return { imageParameters: imageParametersOf(component.data) }
}

/** What the operator set for the component: its allowed hosts, for one. */
const imageParametersOf = ({ image_parameters: given }: JsonObject): JsonObject =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : {}

// Only objects are stored.
const objectOf = (text: string): JsonObject => parseJson(text) as JsonObject // only objects are stored
