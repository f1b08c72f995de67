import { z } from 'zod'
import { parseJson } from '../../lib/json/parse-json.ts'
import { type Author, distinctAuthors } from '../../lib/storage/configurations/configuration.ts'
import { mergePatch } from '../../lib/storage/configurations/merge-configuration.ts'
import { flag, text } from '../http/fields.ts'
import type { Services } from '../services/services.ts'
import { jsonObject, parseJsonObject, type Refusal } from './json-field.ts'
import { configurationRefusal, type SecretsRequest, sealedParts, stateRefusal } from './sealed-settings.ts'

/** Fields of a merge patch that configurations and rows share. `null` resets a part to that of a new one. */
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
  authors: readonly Author[]
  state: string
}

/**
 * Reads the JSON parts of a merge patch and seals their secrets. Resolves to a function that applies the patch to the
 * current configuration or row, so that two patches at once do not undo each other; and to what is not stored of it.
 */
export const readPatch = async (patch: Fields, request: SecretsRequest, services: Services) => {
  const { configuration, authors, state, warnings } = await sealedParts(patch, request, services)
  const apply = (current: Texts) => ({
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.description !== undefined && { description: patch.description ?? '' }),
    ...(patch.isDisabled !== undefined && { isDisabled: patch.isDisabled ?? false }),
    ...(configuration !== undefined && {
      configuration: merged(current.configuration, configuration, configurationRefusal),
      // Nothing of the text before is left when it is reset.
      authors: authors ? distinctAuthors([...current.authors, ...authors]) : undefined,
    }),
    ...(state !== undefined && { state: merged(current.state, state, stateRefusal) }),
  })
  return { apply, warnings }
}

const merged = (current: string, patch: object | null, refusal: Refusal): string => {
  const whole = patch === null ? {} : mergePatch(parseJson(current), patch)
  // The parts may be small enough while the result is too large.
  return JSON.stringify(parseJsonObject(whole, refusal))
}
