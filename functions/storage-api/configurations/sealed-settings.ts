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
 * The JSON parts of a body with their secrets sealed for the configuration, who answers for them, and what of them is not stored. A part
 * that is absent or `null` stays so.
 * Errors, all 400: `validation.invalidConfigurationFormat`, `validation.invalidStateFormat`, `secrets.tooMany`.
 */
export const sealedParts = async (
  { configuration, state }: JsonParts,
  { params, caller }: SecretsRequest,
  services: Services,
) => {
  const read = (given: unknown, refusal: Refusal) =>
    given === undefined || given === null ? given : parseJsonObject(given, refusal)
  const author = { ...ownerAt(params, services), tokenId: caller.tokenId }
  const seal = async (value: object | null | undefined) =>
    value && ((await services.seal(value, author)) as object) // sealing keeps an object an object
  const given = read(configuration, configurationRefusal)
  const stored = given ? withoutSetByRuns(given) : { configuration: given, warnings: [] }
  const sealed = await seal(stored.configuration)
  return {
    configuration: sealed,
    authors: sealed ? await authorsOfSealed(sealed, caller, services) : undefined,
    state: await seal(read(state, stateRefusal)),
    warnings: stored.warnings,
  }
}

/** The settings of a configuration or a row as they are stored, with JSON parts as text; and what was not stored of them. */
export const sealedSettings = async <Given extends JsonParts>(
  { configuration, state, ...settings }: Given,
  request: SecretsRequest,
  services: Services,
) => {
  const { authors, warnings, ...sealed } = await sealedParts({ configuration, state }, request, services)
  const stored = {
    ...settings,
    ...(sealed.configuration && { configuration: JSON.stringify(sealed.configuration), authors }),
    ...(sealed.state && { state: JSON.stringify(sealed.state) }),
  }
  return { settings: stored, warnings }
}

export interface SecretsRequest {
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
