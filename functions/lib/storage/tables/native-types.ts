import { decimalOf, type FieldType } from '../../iceberg/metadata/types.ts'
import { MAX_TEXT_LENGTH } from '../../table-engine/files/snapshot.ts'
import type { CellRules, CellType } from '../../table-engine/types/field-type.ts'

/** The types of a definition that hold for every backend. */
export const basetypes = ['BOOLEAN', 'DATE', 'FLOAT', 'INTEGER', 'NUMERIC', 'STRING', 'TIMESTAMP'] as const

type Basetype = (typeof basetypes)[number]

/** A type of the backend, resolved: no other name of it, and with the length that it has when none is given. */
export interface NativeType {
  type: string
  length?: string | undefined
}

const MAX_PRECISION = 38
const WHOLE_NUMBER = '38,0'
const TEXT_LENGTH = String(MAX_TEXT_LENGTH)
const TIME_DIGITS = '9'

const NATIVE_TYPES: Record<Basetype, NativeType> = {
  BOOLEAN: { type: 'BOOLEAN' },
  DATE: { type: 'DATE' },
  FLOAT: { type: 'FLOAT' },
  INTEGER: { type: 'NUMBER', length: WHOLE_NUMBER },
  NUMERIC: { type: 'NUMBER', length: '38,9' },
  STRING: { type: 'VARCHAR', length: TEXT_LENGTH },
  TIMESTAMP: { type: 'TIMESTAMP_NTZ', length: TIME_DIGITS },
}

export const nativeTypeOf = (basetype: Basetype): NativeType => NATIVE_TYPES[basetype]

interface Alias extends NativeType {
  /** Whether a request may give another length. */
  takesLength?: boolean
}

const number: Alias = { type: 'NUMBER', length: WHOLE_NUMBER, takesLength: true }
const integer: Alias = { type: 'NUMBER', length: WHOLE_NUMBER }
const float: Alias = { type: 'FLOAT' }
const varchar: Alias = { type: 'VARCHAR', length: TEXT_LENGTH, takesLength: true }
const char: Alias = { type: 'VARCHAR', length: '1', takesLength: true }
const time = (type: string): Alias => ({ type, length: TIME_DIGITS, takesLength: true })
const withoutZone = time('TIMESTAMP_NTZ')

/** The names of types in a definition, in capitals. */
const ALIASES = new Map<string, Alias>([
  ...['NUMBER', 'NUMERIC', 'DECIMAL', 'DEC'].map(name => [name, number] as const),
  ...['INT', 'INTEGER', 'BIGINT', 'SMALLINT', 'TINYINT', 'BYTEINT'].map(name => [name, integer] as const),
  ...['FLOAT', 'FLOAT4', 'FLOAT8', 'DOUBLE', 'DOUBLE PRECISION', 'REAL'].map(name => [name, float] as const),
  ...['VARCHAR', 'STRING', 'TEXT', 'NVARCHAR', 'NVARCHAR2'].map(name => [name, varchar] as const),
  ...['CHAR VARYING', 'NCHAR VARYING'].map(name => [name, varchar] as const),
  ...['CHAR', 'CHARACTER', 'NCHAR'].map(name => [name, char] as const),
  ['BOOLEAN', { type: 'BOOLEAN' }],
  ['BOOL', { type: 'BOOLEAN' }],
  ['DATE', { type: 'DATE' }],
  ['TIME', time('TIME')],
  ...['TIMESTAMP', 'DATETIME', 'TIMESTAMP_NTZ', 'TIMESTAMPNTZ'].map(name => [name, withoutZone] as const),
  ...['TIMESTAMP_LTZ', 'TIMESTAMPLTZ'].map(name => [name, time('TIMESTAMP_LTZ')] as const),
  ...['TIMESTAMP_TZ', 'TIMESTAMPTZ'].map(name => [name, time('TIMESTAMP_TZ')] as const),
])

/** Kept as the text that was loaded. Rows cannot be chosen by them. */
const STRUCTURED = ['ARRAY', 'BINARY', 'GEOGRAPHY', 'GEOMETRY', 'OBJECT', 'VARIANT', 'VECTOR']

export const canBeFiltered = (type: string): boolean => !STRUCTURED.includes(type)

/** Digits and digits after the point of a `NUMBER`. */
const numberSize = (length: string): { precision: number; scale: number } => {
  const [precision = '', scale = '0'] = length.split(',')
  return { precision: Number(precision), scale: Number(scale) }
}

const isLengthOf = (type: string, length: string): boolean => {
  if (type === 'NUMBER') {
    if (!/^\d{1,2}(,\d{1,2})?$/.test(length)) return false
    const { precision, scale } = numberSize(length)
    return precision >= 1 && precision <= MAX_PRECISION && scale <= precision && scale < MAX_PRECISION
  }
  if (!/^\d{1,8}$/.test(length)) return false
  if (type === 'VARCHAR') return Number(length) >= 1 && Number(length) <= MAX_TEXT_LENGTH
  return Number(length) <= Number(TIME_DIGITS)
}

/**
 * A type of a definition in its one spelling, or what is wrong with it. An integer type or `NUMBER` without a scale is
 * `NUMBER` with `38,0` or its own digits.
 */
export const resolveType = (name: string, given?: string): NativeType | { problem: string } => {
  const upper = name.trim().toUpperCase().replaceAll(/\s+/g, ' ')
  if (STRUCTURED.includes(upper)) return { type: upper }
  const alias = ALIASES.get(upper)
  if (!alias) return { problem: `the type "${name.slice(0, 50)}" is not known` }
  const { type, length, takesLength = false } = alias
  const wanted = given?.replaceAll(/\s+/g, '')
  if (wanted === undefined || wanted === '') return { type, ...(length !== undefined && { length }) }
  if (!takesLength && wanted !== length) return { problem: `the type ${upper} takes no length` }
  if (!isLengthOf(type, wanted)) return { problem: `"${wanted.slice(0, 50)}" is no length of ${upper}` }
  if (type !== 'NUMBER') return { type, length: String(Number(wanted)) }
  const { precision, scale } = numberSize(wanted)
  return { type, length: `${precision},${scale}` }
}

export const basetypeOf = ({ type, length }: NativeType): Basetype => {
  if (type === 'NUMBER') return length === WHOLE_NUMBER || length === undefined ? 'INTEGER' : 'NUMERIC'
  if (type.startsWith('TIMESTAMP_')) return 'TIMESTAMP'
  return type === 'BOOLEAN' || type === 'DATE' || type === 'FLOAT' ? type : 'STRING'
}

const fieldTypeOf = ({ type, length = WHOLE_NUMBER }: NativeType): FieldType => {
  switch (type) {
    case 'NUMBER': {
      const { precision, scale } = numberSize(length)
      return length === WHOLE_NUMBER ? 'long' : `decimal(${precision},${scale})`
    }
    case 'FLOAT':
      return 'double'
    case 'BOOLEAN':
      return 'boolean'
    case 'DATE':
      return 'date'
    case 'TIMESTAMP_NTZ':
      return 'timestamp'
    case 'TIMESTAMP_LTZ':
    case 'TIMESTAMP_TZ':
      return 'timestamptz'
    default:
      return 'string'
  }
}

/** How the values of a type are stored, and what its length asks of them. */
export const cellTypeOf = (native: NativeType, rules: Pick<CellRules, 'nullable' | 'default'>): CellType => ({
  type: fieldTypeOf(native),
  rules: {
    ...rules,
    ...(native.type === 'VARCHAR' && { maxLength: Number(native.length ?? TEXT_LENGTH) }),
    ...(native.type === 'TIME' && { isTime: true }),
    ...(!canBeFiltered(native.type) && { structure: native.type }),
  },
})

/** The type to show for a column that nobody declared. */
export const nativeTypeOfCell = ({ type, rules }: CellType): NativeType => {
  const decimal = decimalOf(type)
  if (decimal) return { type: 'NUMBER', length: `${decimal.precision},${decimal.scale}` }
  switch (type) {
    case 'long':
      return NATIVE_TYPES.INTEGER
    case 'double':
      return NATIVE_TYPES.FLOAT
    case 'boolean':
      return NATIVE_TYPES.BOOLEAN
    case 'date':
      return NATIVE_TYPES.DATE
    case 'timestamp':
      return NATIVE_TYPES.TIMESTAMP
    case 'timestamptz':
      return { type: 'TIMESTAMP_TZ', length: TIME_DIGITS }
    default:
      if (rules?.structure !== undefined) return { type: rules.structure }
      return rules?.isTime
        ? { type: 'TIME', length: TIME_DIGITS }
        : { type: 'VARCHAR', length: String(rules?.maxLength ?? TEXT_LENGTH) }
  }
}
