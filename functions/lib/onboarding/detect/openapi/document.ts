import { UserError } from '#lib/errors/errors.ts'
import { keysOf, valueAtKeys } from '#lib/extractor/values/select/json-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { readForeign } from '../../read-foreign.ts'

/** An OpenAPI document whose references can be followed. */
export interface OpenApiDocument {
  root: JsonObject
  /** The object behind a reference, or the object itself. Nothing for a reference that leads out of the document. */
  follow: (value: Json | undefined) => JsonObject
}

/** Those of the largest public APIs have 12 MB. */
const LARGE = { characters: 32 * 1024 ** 2, values: 3_000_000 }

/** References may lead in circles. */
const LONGEST_CHAIN = 20

/**
 * Reads an OpenAPI 3 document as JSON or YAML.
 *
 * @throws UserError `extractor.draft`
 */
export const readOpenApi = (text: string): OpenApiDocument => {
  const root = readForeign(text, 'The OpenAPI document', LARGE)
  const version = String(root['openapi'] ?? root['swagger'] ?? '')
  if (!version.startsWith('3.'))
    throw new UserError(
      'extractor.draft',
      version === '2.0'
        ? 'This is a Swagger 2.0 document. Convert it to OpenAPI 3 first, for example with swagger2openapi.'
        : `This is no OpenAPI 3 document (openapi: "${version}").`,
    )
  const document = root
  const follow = (value: Json | undefined): JsonObject => {
    let found = value
    for (let step = 0; step < LONGEST_CHAIN && isObject(found); step++) {
      const reference = found['$ref']
      if (typeof reference !== 'string') return found
      found = reference.startsWith('#/')
        ? valueAtKeys(keysOf(reference.slice(1), '/').map(unescapePointer), document)
        : undefined
    }
    return {}
  }
  return { root, follow }
}

/** RFC 6901 */
const unescapePointer = (key: string): string =>
  decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
