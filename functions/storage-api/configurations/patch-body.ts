import { z } from '@hono/zod-openapi'
import { mergePatch } from '../../lib/storage/configurations/merge-patch.ts'
import { flag, text } from '../http/fields.ts'
import type { Services } from '../services.ts'
import { jsonObject, parseJsonObject, type Refusal } from './json-field.ts'
import { configurationRefusal, stateRefusal } from './sealed-settings.ts'
import { type ConfigurationIds, ownerAt } from './secret-owner.ts'

/** What configurations and rows have in common of a merge patch; `null` sets a part back to what a new one has. */
export const patchFields = {
  name: text({ min: 1, max: 1000 }).optional(),
  description: text({ max: 20_000 }).nullable().optional(),
  isDisabled: flag().nullable().optional(),
  configuration: jsonObject().optional(),
  state: jsonObject().optional(),
}

const fields = z.object(patchFields)
type Fields = z.output<typeof fields>

interface Texts {
  configuration: string
  state: string
}

/**
 * Reads the JSON parts of a merge patch and seals the secrets in it. What it resolves to applies them to a configuration
 * or a row as it is when it is stored, so that of two patches at once neither undoes the other.
 */
export const readPatch = async (
  patch: Fields,
  place: ConfigurationIds,
  services: Pick<Services, 'seal' | 'projectId'>,
) => {
  const read = async (given: unknown, refusal: Refusal): Promise<object | null | undefined> => {
    if (given === undefined || given === null) return given
    // An object is sealed to an object.
    return (await services.seal(parseJsonObject(given, refusal), ownerAt(place, services))) as object
  }
  const configuration = await read(patch.configuration, configurationRefusal)
  const state = await read(patch.state, stateRefusal)

  return (current: Texts) => ({
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.description !== undefined && { description: patch.description ?? '' }),
    ...(patch.isDisabled !== undefined && { isDisabled: patch.isDisabled ?? false }),
    ...(configuration !== undefined && {
      configuration: merged(current.configuration, configuration, configurationRefusal),
    }),
    ...(state !== undefined && { state: merged(current.state, state, stateRefusal) }),
  })
}

const merged = (current: string, patch: object | null, refusal: Refusal): string => {
  const whole = patch === null ? {} : mergePatch(JSON.parse(current), patch)
  // Each part may be small enough where the whole is not.
  return JSON.stringify(parseJsonObject(whole, refusal))
}
