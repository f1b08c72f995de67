import { z } from 'zod'

const plainTypes = ['string', 'long', 'double', 'boolean', 'date', 'timestamp', 'timestamptz'] as const

/** A type of a column's values, in the spelling of the specification: those that tables here have. */
export type FieldType = (typeof plainTypes)[number] | `decimal(${number},${number})`

/** Whether a text is such a type. Decimals are written without a space. */
export const isFieldType = (text: string): text is FieldType =>
  /^decimal\(\d+,\d+\)$/.test(text) || plainTypes.some(type => type === text)

/** Precision and scale of a decimal type, or `undefined` for other types. */
export const decimalOf = (type: FieldType): { precision: number; scale: number } | undefined => {
  const match = /^decimal\((\d+),(\d+)\)$/.exec(type)
  return match ? { precision: Number(match[1]), scale: Number(match[2]) } : undefined
}

/** Other writers put a space into decimals. */
const fieldType = z
  .string()
  .transform(text => text.replaceAll(' ', ''))
  .refine(isFieldType, 'no type that tables here have')

const nestedField = z.looseObject({
  id: z.int(),
  name: z.string(),
  required: z.boolean(),
  type: fieldType,
})
export type NestedField = z.infer<typeof nestedField>

/** A schema of a table: its columns in order, each with an id that is never used again. */
export const tableSchema = z.looseObject({
  type: z.literal('struct'),
  'schema-id': z.int(),
  fields: z.array(nestedField),
})
export type TableSchema = z.infer<typeof tableSchema>
