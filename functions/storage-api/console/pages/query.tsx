import type { Child } from 'hono/jsx'
import { UserError } from '#lib/errors/errors.ts'
import { rowsText } from '#lib/wire/job-results.ts'
import { type QueryBody, queryBody, queryFileBody, wholeFormats } from '#lib/wire/query-body.ts'
import { listedTableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, Refusal } from '../api-client.ts'
import { placeOfNewTable, startLoad } from '../drop-file.ts'
import { bytes, count } from '../format.ts'
import { Field } from '../forms.tsx'
import { jobPath } from '../links.tsx'
import { type Column, List } from '../list.tsx'
import { Empty, Problem } from '../parts.tsx'
import { mayLoad } from '../person.ts'
import { type Built, form, page } from '../route.ts'
import { formats } from './table.tsx'

const QUERY = '/console/query'
const ROWS_SHOWN = 500

interface Asked {
  sql: string
  detectTypes: boolean
}

export const queryPages = [
  page(QUERY, ({ client, query: { table } }) => {
    const sql = table === undefined ? '' : `SELECT *\nFROM ${table}\nLIMIT 100`
    return queryPage(client, { sql, detectTypes: false })
  }),
  form(QUERY, async ({ client, form: { sql = '', format = 'json', detectTypes, tableId = '' } }) => {
    const asked = { sql, detectTypes: detectTypes === '1' }
    try {
      if (format === 'table') return await saveAsTable(client, asked, tableId)
      if (wholeFormats.some(whole => whole === format)) {
        const { file } = await client.send('POST', 'query', { ...asked, format }, queryFileBody)
        return { redirect: `/console/files/${file.id}` }
      }
      const found = await client.send('POST', 'query', { ...asked, limit: ROWS_SHOWN }, queryBody)
      return await queryPage(client, asked, { result: <Result answer={found} /> })
    } catch (error) {
      const isAsked = error instanceof UserError || (error instanceof Refusal && error.status < 500)
      if (!isAsked) throw error
      return queryPage(client, asked, { result: <Problem>{error.message}</Problem>, tableId })
    }
  }),
]

/** Loads the whole result into a new table, or in place of the rows of one. */
const saveAsTable = async (client: ApiClient, asked: Asked, given: string): Promise<Built> => {
  const tableId = given.trim()
  placeOfNewTable(tableId) // A wrong name is said before the query runs.
  const { file } = await client.send('POST', 'query', { ...asked, format: 'parquet' }, queryFileBody)
  return { redirect: jobPath((await startLoad(client, { tableId, fileId: file.id })).id) }
}

/** @param result what became of a query; none was asked yet without it */
const queryPage = async (
  client: ApiClient,
  { sql, detectTypes }: Asked,
  { result, tableId = '' }: { result?: Child; tableId?: string } = {},
): Promise<Built> => {
  const tables = await client.list('tables?include=columns', listedTableBody)
  const columnsOf = Object.fromEntries(tables.map(({ id, columns = [] }) => [id, columns]))
  return {
    title: 'Query',
    body: (
      <>
        <form method="post" action={QUERY} class="panel" data-sql={JSON.stringify(columnsOf)}>
          <Field
            label="SQL of DuckDB, on the tables that your token may read"
            name="sql"
            rows={8}
            required
            value={sql}
          />
          <Field
            label="Read texts as numbers, dates or booleans where a column holds nothing else"
            name="detectTypes"
            type="checkbox"
            checked={detectTypes}
          />
          <div class="actions">
            <button type="submit" class="btn-primary">
              Run
            </button>
            <span class="hint">Download as</span>
            {formats.map(([format, name]) => (
              <button type="submit" name="format" value={format} aria-label={`Download as ${name}`}>
                {name}
              </button>
            ))}
          </div>
          {mayLoad(await client.person()) && (
            <>
              <Field
                label="Or keep the whole result as a table"
                name="tableId"
                placeholder="out.c-main.by-city"
                value={tableId}
              />
              <div class="actions">
                <button type="submit" name="format" value="table">
                  Save as table
                </button>
              </div>
            </>
          )}
        </form>
        {result}
      </>
    ),
  }
}

const Result = ({ answer }: { answer: QueryBody }) => {
  const { columns, rows, isTruncated, tables, warnings } = answer
  const read = tables.reduce((sum, table) => sum + table.bytes, 0)
  const all = isTruncated
    ? `The first ${count(rows.length)} rows; there are more.`
    : `${rowsText(rows.length, 0)}.`
  return (
    <section class="panel">
      <h2>Result</h2>
      <p>
        {all} It counted as {bytes(read)} of {tables.map(({ tableId }) => tableId).join(', ') || 'no table'}.
      </p>
      {warnings.map(warning => (
        <Problem>{warning}</Problem>
      ))}
      <List
        caption="Result"
        of={rows}
        empty={<Empty>No row matches.</Empty>}
        columns={columns.map(({ name, type }, place): Column<unknown[]> => {
          const look = isNumeric(type) ? 'cell number' : 'cell'
          return [name, row => textOf(row[place]), look]
        })}
      />
    </section>
  )
}

const isNumeric = (type: string): boolean => /^(\w*INT(EGER)?|DECIMAL\(.*|DOUBLE|FLOAT)$/.test(type)

const textOf = (value: unknown): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
