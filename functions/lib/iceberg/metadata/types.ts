import { z } from 'zod'

const plainTypes = [
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'string',
  'uuid',
  'binary',
] as const

/** A type of one value, in the spelling of the specification. Decimals are written without a space. */
export type PrimitiveType = (typeof plainTypes)[number] | `decimal(${number},${number})` | `fixed[${number}]`

export interface NestedField {
  id: number
  name: string
  required: boolean
  type: FieldType
  doc?: string | undefined
}

interface StructType {
  type: 'struct'
  fields: NestedField[]
}

interface ListType {
  type: 'list'
  'element-id': number
  element: FieldType
  'element-required': boolean
}

interface MapType {
  type: 'map'
  'key-id': number
  key: FieldType
  'value-id': number
  value: FieldType
  'value-required': boolean
}

/** A type of a column. Nested ones are read, so that a table that has them can be refused with a sentence. */
type FieldType = PrimitiveType | StructType | ListType | MapType

export const isPrimitive = (type: FieldType): type is PrimitiveType => typeof type === 'string'

const decimalPattern = /^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$/
const fixedPattern = /^fixed\[\s*(\d+)\s*\]$/

/** Precision and scale of a decimal type, or `undefined` for other types. */
export const decimalOf = (type: PrimitiveType): { precision: number; scale: number } | undefined => {
  const match = decimalPattern.exec(type)
  return match ? { precision: Number(match[1]), scale: Number(match[2]) } : undefined
}

const parsePrimitive = (text: string): PrimitiveType | undefined => {
  const plain = plainTypes.find(type => type === text)
  if (plain) return plain
  const decimal = decimalPattern.exec(text)
  if (decimal) return `decimal(${Number(decimal[1])},${Number(decimal[2])})`
  const fixed = fixedPattern.exec(text)
  return fixed ? `fixed[${Number(fixed[1])}]` : undefined
}

const primitiveType = z.string().transform((text, context): PrimitiveType => {
  const type = parsePrimitive(text)
  if (type) return type
  context.addIssue({ code: 'custom', message: `is "${text}", which is no type of Iceberg version 2` })
  return z.NEVER
})

const nestedField: z.ZodType<NestedField> = z.lazy(() =>
  z.looseObject({
    id: z.int(),
    name: z.string(),
    required: z.boolean(),
    type: fieldType,
    doc: z.string().optional(),
  }),
)

const structType = z.looseObject({ type: z.literal('struct'), fields: z.array(nestedField) })

const listType: z.ZodType<ListType> = z.lazy(() =>
  z.looseObject({
    type: z.literal('list'),
    'element-id': z.int(),
    element: fieldType,
    'element-required': z.boolean(),
  }),
)

const mapType: z.ZodType<MapType> = z.lazy(() =>
  z.looseObject({
    type: z.literal('map'),
    'key-id': z.int(),
    key: fieldType,
    'value-id': z.int(),
    value: fieldType,
    'value-required': z.boolean(),
  }),
)

/** Reads a type. A name of a type that Iceberg version 2 does not have is an issue that names it. */
const fieldType: z.ZodType<FieldType> = z.unknown().transform((value, context): FieldType => {
  const kind = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  // A type that is only a name is met as such, whatever else describes it: the issue names it.
  const isNamed = typeof kind === 'string' && !['struct', 'list', 'map'].includes(kind)
  const schema = kind === 'list' ? listType : kind === 'map' ? mapType : structType
  const result =
    typeof value === 'string' || isNamed
      ? primitiveType.safeParse(isNamed ? kind : value)
      : schema.safeParse(value)
  if (result.success) return result.data
  for (const { message, path } of result.error.issues) context.addIssue({ code: 'custom', message, path })
  return z.NEVER
})

/** A schema of a table: its columns in order, each with an id that is never used again. */
export const tableSchema = z.looseObject({
  type: z.literal('struct'),
  'schema-id': z.int(),
  'identifier-field-ids': z.array(z.int()).optional(),
  fields: z.array(nestedField),
})
export type TableSchema = z.infer<typeof tableSchema>
