import { rowsText } from '#lib/wire/job-results.ts'
import { type QueryBody, queryBody, queryFileBody, wholeFormats } from '#lib/wire/query-body.ts'
import { type ListedTableBody, listedTableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, Refusal } from '../api-client.ts'
import type { ActionRoute, Built, PageRoute } from '../built.ts'
import { bytes, count } from '../format.ts'
import { Empty, Grid, Problem } from '../layout.tsx'
import { tablePath } from '../views/links.tsx'

const at = '/console/query'
const ROWS_SHOWN = 500

/** What became of a query: nothing was asked yet, its first rows, or why there are none. */
type Answer = QueryBody | { problem: string } | undefined

export const queryPages: readonly PageRoute[] = [
  {
    path: at,
    at,
    build: (client, { query: { table } }) =>
      queryPage(client, table === undefined ? '' : `SELECT *\nFROM ${table}\nLIMIT 100`, undefined),
  },
]

export const queryActions: readonly ActionRoute[] = [
  {
    path: at,
    at,
    act: async (client, { form: { sql = '', format = 'json', detectTypes = '' } }) => {
      const asked = { sql, detectTypes: detectTypes === '1' }
      try {
        if (wholeFormats.some(whole => whole === format)) {
          const { file } = await client.send('POST', 'query', { ...asked, format }, queryFileBody)
          return { redirect: `/console/files/${file.id}` }
        }
        const found = await client.send('POST', 'query', { ...asked, limit: ROWS_SHOWN }, queryBody)
        return await queryPage(client, sql, found, asked.detectTypes)
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error
        return queryPage(client, sql, { problem: error.message }, asked.detectTypes)
      }
    },
  },
]

const queryPage = async (
  client: ApiClient,
  sql: string,
  answer: Answer,
  detectsTypes = true,
): Promise<Built> => {
  const tables = await client.list('tables?include=columns', listedTableBody)
  return {
    title: 'Query',
    body: (
      <>
        <form method="post" action={at} class="panel">
          <label>
            SQL of DuckDB, on the tables that your token may read
            <textarea name="sql" rows={8} spellcheck={false} required>
              {sql}
            </textarea>
          </label>
          <label>
            <input type="checkbox" name="detectTypes" value="1" checked={detectsTypes} /> Columns of text that
            hold only numbers, dates or booleans are read as such
          </label>
          <div class="actions">
            <button type="submit">Run</button>
            {wholeFormats.map(format => (
              <button type="submit" name="format" value={format}>
                Whole result as {format}
              </button>
            ))}
          </div>
        </form>
        {answer !== undefined && <Result answer={answer} />}
        <Tables tables={tables} />
      </>
    ),
  }
}

const Result = ({ answer }: { answer: QueryBody | { problem: string } }) => {
  if ('problem' in answer) return <Problem>{answer.problem}</Problem>
  const { columns, rows, isTruncated, tables } = answer
  const read = tables.reduce((sum, table) => sum + table.bytes, 0)
  return (
    <section class="panel">
      <h2>Result</h2>
      <p>
        {isTruncated
          ? `The first ${count(rows.length)} rows; there are more.`
          : `${rowsText(rows.length, 0)}.`}{' '}
        {bytes(read)} of {tables.map(({ tableId }) => tableId).join(', ') || 'no table'} could be read for it.
      </p>
      {rows.length === 0 ? (
        <Empty>No row matches.</Empty>
      ) : (
        <Grid caption="Result" head={columns.map(({ name }) => name)}>
          {rows.map(row => (
            <tr>
              {row.map((value, index) => (
                <td class={isNumeric(columns[index]?.type ?? '') ? 'cell number' : 'cell'}>
                  {textOf(value)}
                </td>
              ))}
            </tr>
          ))}
        </Grid>
      )}
    </section>
  )
}

const isNumeric = (type: string): boolean => /^(\w*INT(EGER)?|DECIMAL\(.*|DOUBLE|FLOAT)$/.test(type)

const textOf = (value: unknown): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const Tables = ({ tables }: { tables: readonly ListedTableBody[] }) => (
  <section class="panel">
    <h2>Tables and their columns</h2>
    {tables.length === 0 ? (
      <Empty>
        No table yet. <a href="/console/drop">Drop a file</a> to make one.
      </Empty>
    ) : (
      <Grid caption="Tables and their columns" head={['Table', 'Columns', { number: 'Rows' }]}>
        {tables.map(({ id, columns = [], rowsCount }) => (
          <tr>
            <th scope="row">
              <a href={`${at}?table=${encodeURIComponent(id)}`}>Query</a> <a href={tablePath(id)}>{id}</a>
            </th>
            <td class="cell">{columns.join(', ')}</td>
            <td class="number">{count(rowsCount)}</td>
          </tr>
        ))}
      </Grid>
    )}
  </section>
)
