import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { Author } from '../../lib/storage/configurations/configuration.ts'
import { listSecrets } from '../../lib/storage/secrets/map-secrets.ts'
import type { SecretOwner } from '../../lib/storage/secrets/sealed-secret.ts'
import { secretOrigin } from '../../lib/storage/secrets/secret-origin.ts'
import type { Caller } from '../http/authenticate.ts'
import type { Services } from '../services.ts'
import { jsonObject, parseJsonObject, type Refusal } from './json-field.ts'

/** The configuration that secrets are sealed for. */
interface ConfigurationIds {
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

type Sealed<Given> = Omit<Given, keyof JsonParts> & {
  configuration?: string
  /** Of the configuration. */
  authors?: Author[]
  state?: string
}

/**
 * The settings of a configuration or a row with their JSON parts as they are stored: as text, with secrets sealed for
 * the configuration.
 * Errors, all 400: `validation.invalidConfigurationFormat`, `validation.invalidStateFormat`, `secrets.tooMany`.
 */
export const sealedSettings = async <Given extends JsonParts>(
  { configuration, state, ...settings }: Given,
  { params, caller }: SecretsRequest,
  services: SecretServices,
): Promise<Sealed<Given>> => {
  const read = async (given: unknown, refusal: Refusal) =>
    services.seal(parseJsonObject(given, refusal), {
      ...ownerAt(params, services),
      tokenId: caller.tokenId,
    })
  const sealed = configuration === undefined ? undefined : await read(configuration, configurationRefusal)
  return {
    ...settings,
    ...(sealed !== undefined && {
      configuration: JSON.stringify(sealed),
      authors: await authorsOfSealed(sealed, caller, services),
    }),
    ...(state !== undefined && { state: JSON.stringify(await read(state, stateRefusal)) }),
  }
}

export interface SecretsRequest {
  params: ConfigurationIds
  caller: Pick<Caller, 'tokenId' | 'description'>
}

export type SecretServices = Pick<Services, 'seal' | 'projectId' | 'tokens'>

/** Who sends a text, and who brought the secrets that were sealed before: nobody can see what those are. */
export const authorsOfSealed = async (
  sealed: unknown,
  { tokenId, description }: SecretsRequest['caller'],
  { tokens }: Pick<Services, 'tokens'>,
): Promise<Author[]> => {
  const secrets = await listSecrets(sealed)
  const origins = await Promise.all([...new Set(secrets)].map(secretOrigin))
  const others = new Set(origins.flatMap(origin => origin?.tokenId ?? []))
  others.delete(tokenId)
  const authors = [...others].map(async id => ({
    id,
    description: (await tokens.get(Number(id)))?.description ?? `Token ${id}`,
  }))
  return [{ id: tokenId, description }, ...(await Promise.all(authors))]
}

const CODE = 'storage.components.validation'

/** The only body in which other fields are refused: a component must not believe that they were saved. */
export const stateBody = z.looseObject({ state: jsonObject().optional() })

/** The state as it is stored. Error: 400 `storage.components.validation`. */
export const sealedState = async (
  { state, ...others }: z.output<typeof stateBody>,
  { params, caller }: SecretsRequest,
  services: Pick<Services, 'seal' | 'projectId'>,
): Promise<string> => {
  const [unexpected] = Object.keys(others)
  if (unexpected !== undefined) throw invalid(`${unexpected.slice(0, 100)}: This field was not expected.`)
  if (state === undefined) throw invalid('state: This field is missing.')
  const value = parseJsonObject(state, { code: CODE, label: 'Invalid parameters - state' })
  return JSON.stringify(await services.seal(value, { ...ownerAt(params, services), tokenId: caller.tokenId }))
}

const invalid = (what: string) => new UserError(CODE, `Invalid parameters - ${what}`)
