import { UserError } from '../errors/errors.ts'
import { isTableIdForLoad, parseTableId } from './storage-ids.ts'

interface Request {
  path: string
  body: Record<string, unknown>
}

/** The bucket and the name of the table that a query is saved as. Error: `storage.query.invalid`. */
const placeOf = (tableId: string): { bucketId: string; name: string } => {
  const given = tableId.trim()
  const place = isTableIdForLoad(given) ? parseTableId(given) : undefined
  if (place) return place
  throw refused('Name the table like out.c-main.by-city.')
}

/** What loads the file of a whole result into a new table, or in place of the rows of one. */
export const savesAsTable = (tableId: string, fileId: number, known: readonly string[]): Request => {
  const { bucketId, name } = placeOf(tableId)
  const body = { dataFileId: fileId }
  return known.includes(`${bucketId}.${name}`)
    ? { path: `tables/${bucketId}.${name}/import-async`, body }
    : { path: `buckets/${bucketId}/tables-async`, body: { ...body, name } }
}

/** What makes the bucket that a query is saved in, when it is not among the known ones. */
export const bucketToMake = (id: string, known: readonly string[]): Request | undefined => {
  const [, stage = '', name] = /^(in|out)\.c-(.+)$/.exec(placeOf(id).bucketId) ?? []
  return name === undefined || known.includes(`${stage}.c-${name}`)
    ? undefined
    : { path: 'buckets', body: { stage, name } }
}

const NAME = String.raw`(?:"[^"]+"|[\w.-]+)`
const SHOWS_ONE_TABLE = new RegExp(
  String.raw`^\s*SELECT\s+(?<columns>\*|${NAME}(?:\s*,\s*${NAME})*)\s+FROM\s+(?<table>${NAME}(?:\."[^"]+")?)` +
    String.raw`(?:\s+WHERE\s+(?<column>${NAME})\s*(?<sign>=|!=|<>)\s*'(?<value>(?:[^']|'')*)')?\s*;?\s*$`,
  'i',
)

/**
 * What makes an alias of a query: one table, some of its columns, the rows by one condition. It holds no rows, and follows the table.
 * Error: `storage.query.invalid` for a query that says more.
 */
export const savesAsAlias = (aliasId: string, sql: string): Request => {
  const { bucketId, name } = placeOf(aliasId)
  const found = SHOWS_ONE_TABLE.exec(sql)?.groups
  if (!found)
    throw refused(
      "An alias shows columns of one table, and its rows by one condition: SELECT id, city FROM in.c-main.orders WHERE city = 'Brno'. Save this query as a table.",
    )
  const { columns = '*', table = '', column, sign, value = '' } = found
  return {
    path: `buckets/${bucketId}/table-aliases`,
    body: {
      name,
      sourceTable: bare(table),
      ...(columns !== '*' && { aliasColumns: (columns.match(new RegExp(NAME, 'g')) ?? []).map(bare) }),
      ...(column !== undefined && {
        aliasFilter: {
          column: bare(column),
          operator: sign === '=' ? 'eq' : 'ne',
          values: [value.replaceAll("''", "'")],
        },
      }),
    },
  }
}

const bare = (name: string): string => name.replaceAll('"', '')

const refused = (message: string): UserError => new UserError('storage.query.invalid', message)
