import type { ColumnType, TypedPaths } from '../records/column-types.ts'
import type { WrittenTable } from './sink-types.ts'

/** The column of a table that has what is at a path of the rows of a data type; `undefined` when none has. */
type ColumnOf = (table: string, type: string, path: string) => string | undefined

/** Says which columns have a type. One that gets rows of several data types has it only where all of them agree. */
export const withColumnTypes = (
  tables: readonly WrittenTable[],
  typedPaths: ReadonlyMap<string, TypedPaths> = new Map(),
  columnOf: ColumnOf,
): WrittenTable[] =>
  tables.map(table => {
    const types = [...new Set(table.types)]
    const [first = [], ...others] = types.map(type =>
      [...(typedPaths.get(type) ?? [])].flatMap(([path, columnType]): [string, ColumnType][] => {
        const column = columnOf(table.insteadOf ?? table.name, type, path)
        return column === undefined || !table.columns.includes(column) ? [] : [[column, columnType]]
      }),
    )
    const agreed = first.filter(([column, one]) =>
      others.every(other => other.some(([name, type]) => name === column && isSame(type, one))),
    )
    return agreed.length === 0 ? table : { ...table, columnTypes: Object.fromEntries(agreed) }
  })

const isSame = (a: ColumnType, b: ColumnType): boolean => a.basetype === b.basetype && a.length === b.length
