import { UserError } from '../../errors/errors.ts'
import { decimalOf } from '../../iceberg/metadata/types.ts'
import type { TableField } from '../files/snapshot.ts'
import { type CellType, isTyped } from '../types/field-type.ts'
import { readCell } from '../types/read-cell.ts'
import type { Filter, SaidType } from './row-conditions.ts'

/** A condition as people write it, in a command, a form or a request: `delay::number >= 1000`. */
export interface WrittenCondition {
  column: string
  operator: Filter['operator']
  value: string
  /** What the texts of the column are compared as. */
  type?: string | undefined
}

const TYPES: Readonly<Record<string, { said: SaidType; cell: CellType; value: string; values: string }>> = {
  number: { said: 'NUMBER', cell: { type: 'double' }, value: 'a number', values: 'numbers' },
  date: { said: 'DATE', cell: { type: 'date' }, value: 'a date such as 2026-03-01', values: 'dates' },
  timestamp: {
    said: 'MOMENT',
    cell: { type: 'timestamptz' },
    value: 'a time such as 2026-03-01 12:30:00',
    values: 'times',
  },
  text: { said: 'TEXT', cell: { type: 'string' }, value: 'a text', values: 'texts' },
}

export const writtenTypes = Object.keys(TYPES)

/** What values of a type are called. */
export const valuesOf = (said: SaidType): string =>
  Object.values(TYPES).find(type => type.said === said)?.values ?? ''

const SIGNS = {
  '=': 'eq',
  '!=': 'ne',
  '>=': 'ge',
  '<=': 'le',
  '>': 'gt',
  '<': 'lt',
  '==': 'eq',
  '<>': 'ne',
} as const

/** Error: 400 `storage.tables.validation`. */
export const parseCondition = (text: string): WrittenCondition => {
  const [, column, type, sign, given] =
    /^\s*([^=!<>:]+?)\s*(?:::\s*(\w+)\s*)?(==|=|!=|>=|<=|<>|>|<)\s*(.*?)\s*$/s.exec(text) ?? []
  if (column === undefined || given === undefined || !isSign(sign))
    throw refused(`"${text}" is no condition: write it like 'city = Brno' or 'delay::number >= 1000'.`)
  if (type !== undefined && !TYPES[type.toLowerCase()])
    throw refused(`"${text}" names no type: there are ::${writtenTypes.join(', ::')}.`)
  const value = /^'(.*)'$/s.exec(given)?.[1] ?? given
  return { column, operator: SIGNS[sign], value, type: type?.toLowerCase() }
}

const isSign = (sign: string | undefined): sign is keyof typeof SIGNS =>
  sign !== undefined && Object.hasOwn(SIGNS, sign)

/** The reverse of {@link parseCondition}. */
export const writeCondition = ({ column, operator, value, type }: WrittenCondition): string => {
  const sign = Object.entries(SIGNS).find(([, each]) => each === operator)?.[0]
  return `${column}${type ? `::${type}` : ''} ${sign} '${value}'`
}

/**
 * What a condition compares. `isGuess`: it is right only where every text of the column is of its type. Undefined: nobody
 * knows how its texts are ordered, so it must say so. Error: 400 `storage.tables.validation` for a value that is not of the type.
 */
export const filterOf = (
  { column, operator, value, type }: WrittenCondition,
  field: TableField,
): { filter: Filter; isGuess?: true } | undefined => {
  const filter: Filter = { column, operator, values: [value] }
  const isOrder = operator !== 'eq' && operator !== 'ne'
  if (type === undefined) {
    if (isTyped(field) || !isOrder) return { filter }
    return isOf('timestamp', value) ? { filter: { ...filter, dataType: 'MOMENT' }, isGuess: true } : undefined
  }
  const known = TYPES[type]
  if (!known || !isOf(type, value))
    throw refused(`"${value}" is no ${type}: compare ${column} with ${known?.value}.`)
  return { filter: isTyped(field) && holds(field, type) ? filter : { ...filter, dataType: known.said } }
}

const isOf = (type: string, value: string): boolean => {
  const cell = TYPES[type]?.cell
  return cell !== undefined && (cell.type === 'string' || 'value' in readCell(value, cell))
}

/** Whether the values of a typed column have this type by themselves. */
const holds = ({ type }: CellType, written: string): boolean => {
  if (written === 'text') return type === 'string'
  if (written === 'number') return type === 'long' || type === 'double' || decimalOf(type) !== undefined
  return type === 'date' || type === 'timestamp' || type === 'timestamptz'
}

/** Why a condition needs a type, with a value of the column (undefined: it has none) and what to write. */
export const orderOfText = (condition: WrittenCondition, example: string | undefined): UserError => {
  const type = ['number', 'date', 'timestamp'].find(each => isOf(each, condition.value)) ?? 'text'
  const others = writtenTypes.filter(each => each !== type).map(each => `::${each}`)
  const such = example === undefined ? '' : `, such as "${example}"`
  return refused(
    `${condition.column} is text${such}, in which 9 is greater than 10. Say how to compare it: ` +
      `${writeCondition({ ...condition, type }).replace(/'([\w.:+-]+)'$/, '$1')} (or ${others.join(', ')}).`,
  )
}

const refused = (message: string): UserError => new UserError('storage.tables.validation', message)
