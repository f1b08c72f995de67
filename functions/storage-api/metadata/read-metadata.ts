import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { digitsAsText } from '../../lib/json/json-value.ts'
import type { NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'
import { withoutGaps } from '../http/fields.ts'

/** Validated below, not by a schema: the errors have their own codes. */
export const metadataFields = {
  provider: z.unknown().optional().meta({ type: 'string', example: 'user' }),
  metadata: z
    .unknown()
    .optional()
    .meta({
      type: 'array',
      items: { type: 'object' },
      example: [{ key: 'KBC.description', value: 'Orders' }],
    }),
}

export const columnsMetadataField = z
  .unknown()
  .optional()
  .meta({
    type: 'object',
    example: { id: [{ key: 'KBC.description', value: 'Number of the order' }] },
  })

const MAX_KEY_LENGTH = 255
const MAX_VALUE_LENGTH = 100_000
/** Each is stored by its own write. */
const MAX_ITEMS = 1_000

const hasKeyCharacters = (text: string): boolean => /^[^%+]+$/.test(text)

const item = z.looseObject({
  key: z.preprocess(digitsAsText, z.union([z.string(), z.number()])).transform(String),
  value: z.preprocess(digitsAsText, z.union([z.string(), z.number(), z.boolean()])).transform(String),
})

/** Error: 400 `storage.metadata.invalidProvider`. */
export const readProvider = (provider: unknown): string => {
  if (typeof provider !== 'string' || provider === '' || provider.length > MAX_KEY_LENGTH)
    throw new UserError('storage.metadata.invalidProvider', 'Provider is required.')
  if (!hasKeyCharacters(provider))
    throw new UserError('storage.metadata.invalidProvider', 'Invalid metadata provider.')
  return provider.toWellFormed()
}

/**
 * Reads a list of keys and values. `field` is its name in the request, for errors.
 * Errors, all 400: `storage.metadata.invalidStructure`, `.invalidKey`, `.invalidParameter`.
 */
export const readMetadata = (
  given: unknown,
  { provider, field = 'metadata', column = '' }: { provider: string; field?: string; column?: string },
): NewMetadatum[] => {
  const list = withoutGaps(given)
  if (typeof list === 'object' && list !== null && !Array.isArray(list)) throw invalidStructure()
  if (!Array.isArray(list))
    throw new UserError('storage.metadata.invalidParameter', 'The metadata parameter must be an array.')
  if (list.length === 0) throw invalidStructure()
  if (list.length > MAX_ITEMS) throw invalidParameter(`more than ${MAX_ITEMS} items`)
  return list.map((each, index) => {
    const parsed = item.safeParse(each)
    if (!parsed.success) throw invalidStructure()
    const { key, value } = parsed.data
    if (!hasKeyCharacters(key) || key.length > MAX_KEY_LENGTH)
      throw new UserError('storage.metadata.invalidKey', `Invalid Metadata Key (${field}[${index}][key])`)
    if (value.length > MAX_VALUE_LENGTH)
      throw invalidParameter(`${field}[${index}][value] is longer than ${MAX_VALUE_LENGTH} characters`)
    return { key: key.toWellFormed(), value: value.toWellFormed(), provider, column }
  })
}

/**
 * Reads metadata of columns: lists of items by column name, or by any name when each item has a `columnName`, or lists
 * of such items. Refuses unknown columns (`storage.metadata.invalidParameter`).
 */
export const readColumnsMetadata = (
  given: unknown,
  { provider, columns }: { provider: string; columns: readonly string[] },
): NewMetadatum[] => {
  if (typeof given !== 'object' || given === null) throw invalidStructure()
  const named = !Array.isArray(given)
  return Object.entries(given).flatMap(([name, value]) => {
    const items = withoutGaps(value)
    const list: unknown[] = Array.isArray(items) ? items : [value]
    return list.flatMap((each, index) => {
      const column = columnNameOf(each) ?? (named ? name : undefined)
      if (column === undefined || !columns.includes(column))
        throw invalidParameter(
          `columnsMetadata names the column "${String(column).slice(0, 100)}", which is not there`,
        )
      return readMetadata([each], { provider, column, field: `columnsMetadata[${name}][${index}]` })
    })
  })
}

const columnNameOf = (each: unknown): string | undefined => {
  const parsed = z.object({ columnName: z.string() }).safeParse(each)
  return parsed.success ? parsed.data.columnName : undefined
}

const invalidStructure = () =>
  new UserError(
    'storage.metadata.invalidStructure',
    "Invalid structure. Metadata must be provided as an array of objects with 'key' and 'value' members",
  )

const invalidParameter = (what: string) =>
  new UserError('storage.metadata.invalidParameter', `Invalid metadata: ${what}.`)

export const metadataNotFound = (): UserError =>
  new UserError('storage.metadata.notFound', 'The supplied metadata ID was not found')
