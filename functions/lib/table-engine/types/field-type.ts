import { decimalOf, type FieldType } from '../../iceberg/metadata/types.ts'

/** What a column of a typed table asks of its cells. There an empty cell is NULL. */
export interface CellRules {
  /** False: no value may be NULL. */
  nullable: boolean
  /**
   * What an empty cell becomes where NULL is not allowed: the text of a cell, or `current_timestamp()` or
   * `current_time()` for the time of the load.
   */
  default?: string | undefined
  /** Most characters (code points) of a text. */
  maxLength?: number | undefined
  /** The text is a time of a day. Iceberg's own type for it is not read by all engines. */
  isTime?: boolean | undefined
  /** The text is a structure of this kind, such as `VARIANT`: its values cannot be compared. */
  structure?: string | undefined
  /**
   * A number with more digits than the column holds is rounded, half away from zero. Default: it is refused. A setting of
   * the stack, given when cells are read ({@link rounding}); no table stores it.
   */
  isRounded?: boolean | undefined
}

/** The type of a column with its rules. Without rules: any text, and an empty cell is an empty text. */
export interface CellType {
  type: FieldType
  rules?: CellRules | undefined
}

/** What a file says, or its values show, of a column. */
export interface FileColumn extends Pick<CellType, 'type'> {
  isTime?: boolean | undefined
  /** As the file calls its type. */
  named: string
}

/** A column as its cells are read where numbers are rounded, or are not. */
export const rounding = <Cell extends CellType>(cell: Cell, isRounded: boolean): Cell =>
  isRounded && cell.rules ? { ...cell, rules: { ...cell.rules, isRounded } } : cell

export const isTyped = ({ rules }: CellType): boolean => rules !== undefined

const DUCKDB_TYPES = {
  string: 'VARCHAR',
  long: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
} as const

export const duckDbType = (type: FieldType): string => {
  const decimal = decimalOf(type)
  if (decimal) return `DECIMAL(${decimal.precision}, ${decimal.scale})`
  return DUCKDB_TYPES[type as keyof typeof DUCKDB_TYPES]
}

/** Whether the default of a column is the time of each load. */
export const isLoadTime = (text: string): boolean => /^current_(time|timestamp)(\(\))?$/i.test(text)
