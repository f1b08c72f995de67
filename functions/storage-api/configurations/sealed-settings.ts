import { z } from 'zod'
import type { UserCode } from '../../lib/errors/codes.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { Author } from '../../lib/storage/configurations/configuration.ts'
import { listSecrets } from '../../lib/storage/secrets/map-secrets.ts'
import { parseSealed, type SecretOwner } from '../../lib/storage/secrets/sealed-secret.ts'
import type { Caller, Services } from '../services/services.ts'
import { jsonObject, parseJsonObject, type Refusal } from './json-field.ts'
import { withoutSetByRuns } from './judge-change.ts'

/** The configuration that secrets are sealed for. */
interface ConfigurationIds {
  componentId: string
  configId: string
}

export const ownerAt = (
  { componentId, configId }: ConfigurationIds,
  { projectId }: Services,
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

/**
 * The settings of a configuration or a row as they are stored: their JSON parts as text with the secrets sealed, and who answers for them.
 * And what is not stored of them.
 * Errors, all 400: `validation.invalidConfigurationFormat`, `validation.invalidStateFormat`, `secrets.tooMany`.
 */
export const sealedSettings = async <Given extends JsonParts>(
  { configuration, state, ...settings }: Given,
  { params, caller }: SecretsRequest,
  services: Services,
) => {
  const owner = { ...ownerAt(params, services), tokenId: caller.tokenId }
  const given = configuration === undefined ? undefined : parseJsonObject(configuration, configurationRefusal)
  const givenState = state === undefined ? undefined : parseJsonObject(state, stateRefusal)
  const kept = given && withoutSetByRuns(given)
  const sealed = kept && (await services.seal(kept.configuration, owner))
  const stored = {
    ...settings,
    ...(sealed !== undefined && {
      configuration: JSON.stringify(sealed),
      authors: await authorsOfSealed(sealed, caller, services),
    }),
    ...(givenState && { state: JSON.stringify(await services.seal(givenState, owner)) }),
  }
  return { settings: stored, warnings: kept?.warnings ?? [] }
}

interface SecretsRequest {
  params: ConfigurationIds
  caller: Pick<Caller, 'tokenId' | 'description'>
}

/** Who sends a text, and who brought the secrets that were sealed before: nobody can see what those are. */
const authorsOfSealed = async (
  sealed: unknown,
  { tokenId, description }: SecretsRequest['caller'],
  { tokens }: Services,
): Promise<Author[]> => {
  const secrets = await listSecrets(sealed)
  const others = new Set(secrets.flatMap(secret => parseSealed(secret)?.context.tokenId ?? []))
  others.delete(tokenId)
  const authors = [...others].map(async id => ({
    id,
    description: (await tokens.get(Number(id)))?.description ?? `Token ${id}`,
  }))
  return [{ id: tokenId, description }, ...(await Promise.all(authors))]
}

/** The only body in which other fields are refused: a component must not believe that they were saved. */
export const stateBody = z.looseObject({ state: jsonObject().optional() })

/** How the body of a state is refused: clients know other words for a row's than for a configuration's. */
interface StateRefusal {
  unexpected: UserCode
  format: Refusal
}

const stateOfConfiguration: StateRefusal = {
  unexpected: 'storage.components.validation',
  format: { code: 'storage.components.validation', label: 'Invalid parameters - state' },
}

export const stateOfRow: StateRefusal = {
  unexpected: 'storage.componentsRows.validation',
  format: { code: 'validation.invalidStateFormat', label: 'Invalid state body format' },
}

/** The state as it is stored. Errors: 400 with the codes of the refusal. */
export const sealedState = async (
  { state, ...others }: z.output<typeof stateBody>,
  { params, caller }: SecretsRequest,
  services: Services,
  { unexpected, format }: StateRefusal = stateOfConfiguration,
): Promise<string> => {
  const [name] = Object.keys(others)
  if (name !== undefined)
    throw new UserError(
      unexpected,
      `Invalid parameters - ${name.slice(0, 100)}: This field was not expected.`,
    )
  if (state === undefined) throw new UserError(format.code, `${format.label}: This field is missing.`)
  const value = parseJsonObject(state, format)
  return JSON.stringify(await services.seal(value, { ...ownerAt(params, services), tokenId: caller.tokenId }))
}
