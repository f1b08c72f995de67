import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { isObject } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { isTooDeep, MAX_JSON_DEPTH } from '../../lib/json-shape.ts'
import { readWhole } from '../../lib/read-whole.ts'
import { formValue } from './check-fields.ts'
import { parseFields } from './parse-fields.ts'

/** For bodies with settings. Files are streamed by the importer route. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

/**
 * Reads a request body of any format that clients send (JSON, form, multipart form) into plain fields.
 *
 * An empty body, `{}` and `[]` (PHP's empty array) mean no fields. Files in a multipart body are ignored. `schema` says
 * which fields of a form are lists.
 * Errors: 400 `storage.validation`, 413 `storage.requestTooLarge`, 415 `storage.unsupportedMediaType`.
 */
export const readBody = async (
  request: Request,
  schema: z.ZodType = z.object({}),
): Promise<Record<string, unknown>> => {
  const choose = (name: string, texts: readonly string[]) => formValue(schema, name, texts)
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (request.body === null) return {}
  if (type === 'multipart/form-data') return parseFields(await readMultipart(request), choose)

  const text = decodeUtf8(await readWhole(request.body, MAX_BODY_BYTES, tooLarge))
  if (text.trim() === '') return {}
  if (type === 'application/x-www-form-urlencoded')
    return parseFields(new URLSearchParams(checkedFormText(text)), choose)
  // Some clients send no type. Then only JSON can be recognised.
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return readJson(text)
  throw new UserError(
    'storage.unsupportedMediaType',
    `The content type "${type.slice(0, 100)}" cannot be read. Send application/json, application/x-www-form-urlencoded or multipart/form-data.`,
  )
}

const readJson = (text: string): Record<string, unknown> => {
  const value = parsed(text)
  if (Array.isArray(value) && value.length === 0) return {}
  if (!isObject(value))
    throw new UserError('storage.validation', 'Invalid request: the JSON body must be an object.')
  return { ...value }
}

/** A body that may be any JSON, whatever type it has. Errors: 400 `storage.validation`, 413 `storage.requestTooLarge`. */
export const readJsonValue = async ({ body }: Request): Promise<unknown> =>
  parsed(body === null ? '' : decodeUtf8(await readWhole(body, MAX_BODY_BYTES, tooLarge)))

const parsed = (text: string): unknown => {
  try {
    const value = parseJson(text, ({ depth }) => refuseDeep(depth > MAX_JSON_DEPTH + 1))
    refuseDeep(isTooDeep(value))
    return value
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    throw new UserError('storage.validation', 'Invalid request: the body is not valid JSON.', { cause })
  }
}

const refuseDeep = (isDeep: boolean): void => {
  if (isDeep)
    throw new UserError(
      'storage.validation',
      `Invalid request: the JSON body is nested more than ${MAX_JSON_DEPTH} deep.`,
    )
}

const readMultipart = async (request: Request): Promise<[string, string][]> => {
  const fields: [string, string][] = []
  let bytes = 0
  // Few requests send forms of parts.
  const { forEachPart } = await import('./multipart-parts.ts')
  await forEachPart(request, {
    onField: (name, value) => {
      bytes += name.length + value.length
      if (bytes > MAX_BODY_BYTES) throw tooLarge()
      fields.push([name, value])
    },
    onFile: async (_name, stream) => {
      stream.resume()
    },
  })
  return fields
}

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new UserError('storage.validation', 'Invalid request: the body is not valid UTF-8.', { cause })
  }
}

const tooLarge = () =>
  new UserError('storage.requestTooLarge', `The request body is larger than ${MAX_BODY_BYTES} bytes.`)

const ENCODED_BYTES = /(?:%[0-9a-f]{2})+/gi

/**
 * The text of a URL-encoded form, whose bytes are checked: the reader of forms would put other characters in the place of
 * bytes that are no UTF-8. Error: 400 `malformedRequest`.
 */
const checkedFormText = (text: string): string => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (const [bytes] of text.matchAll(ENCODED_BYTES))
      decoder.decode(Buffer.from(bytes.replaceAll('%', ''), 'hex'))
    return text
  } catch (cause) {
    throw new UserError(
      'malformedRequest',
      'Malformed request: the form holds bytes that are not valid UTF-8.',
      {
        cause,
      },
    )
  }
}
