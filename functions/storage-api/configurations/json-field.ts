import { z } from 'zod'
import type { UserCode } from '../../lib/errors/codes.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { isContainer } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { isTooDeep, MAX_JSON_DEPTH } from '../../lib/json-shape.ts'

/** A JSON object, sent as JSON, as text, or as nested form fields. Read it with `parseJsonObject`. */
export const jsonObject = () =>
  z.unknown().meta({
    type: 'object',
    additionalProperties: true,
    example: { parameters: { api: { baseUrl: 'https://example.com/' } } },
  })

/** How a value is refused. */
export interface Refusal {
  /** Code of the error. */
  code: UserCode
  /** `Invalid parameters - state`. */
  label: string
}

/** The limit of a configuration (docs/reference/storage-api.md#limits). */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Reads a JSON object. An empty list counts as an empty object, because PHP writes it so. Refuses blank text, invalid
 * JSON, other values and more than 4 MB with the given code.
 */
export const parseJsonObject = (given: unknown, { code, label }: Refusal): object => {
  const refuse = (reason: string) => new UserError(code, `${label}: ${reason}`)
  if (given === '') throw refuse('This value should not be blank.')
  const value = typeof given === 'string' ? parse(given, refuse) : given
  if (!isContainer(value)) throw refuse('This value should be valid JSON.')
  if (Array.isArray(value) && value.length > 0) throw refuse('This value should be a JSON object.')
  if (isTooDeep(value)) throw refuse(`This value is nested more than ${MAX_JSON_DEPTH} deep.`)
  // After the depth check: a recursive walk could not take a deeper value.
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES)
    throw refuse(`This value should have at most ${MAX_BYTES} bytes.`)
  return Array.isArray(value) ? {} : value
}

const parse = (text: string, refuse: (reason: string) => UserError): unknown => {
  try {
    return parseJson(text)
  } catch {
    throw refuse('This value should be valid JSON.')
  }
}
