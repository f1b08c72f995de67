import type { World } from './world.ts'

/** A table as the model knows it. */
export interface Table {
  columns: readonly string[]
  hasKey: boolean
  rows: readonly Readonly<Record<string, string>>[]
}

/** What an operation makes of a table, `undefined` where there is none. */
export type Effect = (table: Table | undefined) => Table | undefined | 'refused'

/** Of an operation that needs the table. */
const onTable =
  (change: (table: Table) => Table | undefined | 'refused'): Effect =>
  table =>
    table === undefined ? 'refused' : change(table)

export const unchanged: Effect = onTable(table => table)
/** Of a table that is gone by then there is nothing left to do. */
export const dropped: Effect = () => undefined
export const emptied: Effect = onTable(table => ({ ...table, rows: [] }))
export const withoutRow = (id: string): Effect =>
  onTable(table => ({ ...table, rows: table.rows.filter(row => row.id !== id) }))
export const withColumn = (name: string): Effect =>
  onTable(({ columns, rows, ...table }) =>
    columns.includes(name)
      ? 'refused'
      : { ...table, columns: [...columns, name], rows: rows.map(row => ({ ...row, [name]: '' })) },
  )
export const withoutColumn = (name: string): Effect =>
  onTable(({ columns, rows, ...table }) =>
    columns.includes(name)
      ? {
          ...table,
          columns: columns.filter(column => column !== name),
          rows: rows.map(({ [name]: _gone, ...row }) => row),
        }
      : 'refused',
  )
export const withoutKey: Effect = onTable(table => ({ ...table, hasKey: false }))

export type Rows = Readonly<Record<string, string>>

/** Values of the column `v` by their `id`, as a file has them. */
export const csvOf = (rows: Rows): string =>
  `id,v\n${Object.entries(rows)
    .map(([id, v]) => `${id},${v}\n`)
    .join('')}`

const recordsOf = (rows: Rows): Table['rows'] => Object.entries(rows).map(([id, v]) => ({ id, v }))

export const created =
  (rows: Rows): Effect =>
  table =>
    table === undefined ? { columns: ['id', 'v'], hasKey: true, rows: recordsOf(rows) } : 'refused'

export interface LoadOptions {
  isFull: boolean
  /** The load says that the table has this key: rows are not added to one that has not. */
  namesKey?: boolean
  /** A landed file may lack columns where no row that is there loses a cell. */
  isLanded?: boolean
}

export const loaded = (rows: Rows, { isFull, namesKey = false, isLanded = false }: LoadOptions): Effect =>
  onTable(table => {
    if (namesKey && !isFull && !table.hasKey) return 'refused'
    const lacked = table.columns.filter(column => column !== 'id' && column !== 'v')
    const mayLack = isLanded && (isFull || !table.hasKey)
    if (lacked.length > 0 && !mayLack) return 'refused'
    const empty = Object.fromEntries(lacked.map(column => [column, '']))
    const kept = isFull ? [] : table.rows.filter(({ id = '' }) => !table.hasKey || rows[id] === undefined)
    const columns = [...new Set([...table.columns, 'v'])]
    return {
      ...table,
      columns,
      rows: [...kept.map(row => ({ v: '', ...row })), ...recordsOf(rows).map(row => ({ ...empty, ...row }))],
    }
  })

/** The table as it is; `undefined` when there is none. */
export const readTable = async ({ service }: World, tableId: string): Promise<Table | undefined> => {
  const path = `/v2/storage/tables/${tableId}`
  const { status, body } = await service.call('GET', path)
  if (status === 404) return undefined
  const { text } = await service.call('GET', `${path}/data-preview?limit=1000`)
  const [header = '', ...lines] = text.trimEnd().replaceAll('"', '').split('\n')
  const columns = header.split(',')
  const rows = lines
    .filter(line => line !== '')
    .map(line => Object.fromEntries(line.split(',').map((value, index) => [columns[index] ?? '', value])))
  return { columns, hasKey: body.primaryKey.length > 0, rows }
}

/** The same text for tables that are equal. */
export const showTable = (table: Table | undefined): string => {
  if (!table) return 'no table'
  const columns = [...table.columns].sort()
  const rows = table.rows.map(row => columns.map(column => `${column}=${row[column]}`).join(',')).sort()
  return `${table.hasKey ? 'key' : 'no key'} [${columns.join(',')}] ${rows.join(' ')}`
}
