import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { Services } from '../services.ts'
import { jsonObject, parseJsonObject } from './json-field.ts'
import { ownerAt, type SecretsRequest } from './sealed-settings.ts'

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
