import type { SecretOwner } from '../../lib/storage/secrets/sealed-secret.ts'
import type { Services } from '../services.ts'
import { parseJsonObject, type Refusal } from './json-field.ts'

/** The configuration that secrets are sealed for. */
export interface ConfigurationIds {
  componentId: string
  configId: string
}

export const ownerAt = (
  { componentId, configId }: ConfigurationIds,
  { projectId }: Pick<Services, 'projectId'>,
): SecretOwner => ({ projectId, componentId, configId })

export const configurationRefusal: Refusal = {
  code: 'validation.invalidConfigurationFormat',
  label: 'Invalid parameters - configuration',
}
export const stateRefusal: Refusal = {
  code: 'validation.invalidStateFormat',
  label: 'Invalid parameters - state',
}

interface JsonParts {
  configuration?: unknown
  state?: unknown
}

type Sealed<Given> = Omit<Given, keyof JsonParts> & { configuration?: string; state?: string }

/**
 * The settings of a configuration or a row with their JSON parts as they are stored: as text, with secrets sealed for
 * the configuration.
 * Errors, all 400: `validation.invalidConfigurationFormat`, `validation.invalidStateFormat`, `secrets.tooMany`.
 */
export const sealedSettings = async <Given extends JsonParts>(
  { configuration, state, ...settings }: Given,
  place: ConfigurationIds,
  services: Pick<Services, 'seal' | 'projectId'>,
): Promise<Sealed<Given>> => {
  const read = async (given: unknown, refusal: Refusal) =>
    JSON.stringify(await services.seal(parseJsonObject(given, refusal), ownerAt(place, services)))
  return {
    ...settings,
    ...(configuration !== undefined && { configuration: await read(configuration, configurationRefusal) }),
    ...(state !== undefined && { state: await read(state, stateRefusal) }),
  }
}
