import { UserError } from '#lib/errors/errors.ts'
import { jobBody } from '#lib/wire/job-body.ts'
import { rowsText } from '#lib/wire/job-results.ts'
import { type QueryBody, queryBody, queryFileBody, wholeFormats } from '#lib/wire/query-body.ts'
import { bucketToMake, savesAsTable } from '#lib/wire/saved-query.ts'
import { bucketBody, type ListedTableBody, listedTableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, Refusal } from '../api-client.ts'
import type { ActionRoute, Built, PageRoute } from '../built.ts'
import { bytes, count } from '../format.ts'
import { Empty, Grid, Problem } from '../layout.tsx'
import { mayLoad } from '../person.ts'
import { tablePath } from '../views/links.tsx'
import { formats } from '../views/tables.tsx'

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
    act: async (client, { form: { sql = '', format = 'json', detectTypes = '', tableId = '' } }) => {
      const detectsTypes = detectTypes === '1'
      const asked = { sql, detectTypes: detectsTypes }
      try {
        if (format === 'table') {
          await makeBucket(client, tableId)
          return { redirect: `/console/jobs/${await saveAsTable(client, asked, tableId)}` }
        }
        if (wholeFormats.some(whole => whole === format)) {
          const { file } = await client.send('POST', 'query', { ...asked, format }, queryFileBody)
          return { redirect: `/console/files/${file.id}` }
        }
        const found = await client.send('POST', 'query', { ...asked, limit: ROWS_SHOWN }, queryBody)
        return await queryPage(client, sql, found, { detectsTypes })
      } catch (error) {
        const isAsked = error instanceof UserError || (error instanceof Refusal && error.status < 500)
        if (!isAsked) throw error
        return queryPage(client, sql, { problem: error.message }, { detectsTypes, tableId })
      }
    },
  },
]

const makeBucket = async (client: ApiClient, tableId: string): Promise<void> => {
  const buckets = await client.list('buckets', bucketBody)
  const wanted = bucketToMake(
    tableId,
    buckets.map(({ id }) => id),
  )
  if (wanted) await client.send('POST', wanted.path, wanted.body, bucketBody)
}

/** The job that loads the whole result into a new table, or in place of the rows of one. */
const saveAsTable = async (
  client: ApiClient,
  asked: { sql: string; detectTypes: boolean },
  tableId: string,
): Promise<number> => {
  const { file } = await client.send('POST', 'query', { ...asked, format: 'parquet' }, queryFileBody)
  const known = await client.list('tables?include=', listedTableBody)
  const { path, body } = savesAsTable(
    tableId,
    file.id,
    known.map(({ id }) => id),
  )
  const job = await client.send('POST', path, body, jobBody)
  return job.id
}

const queryPage = async (
  client: ApiClient,
  sql: string,
  answer: Answer,
  { detectsTypes = true, tableId = '' }: { detectsTypes?: boolean; tableId?: string } = {},
): Promise<Built> => {
  const tables = await client.list('tables?include=columns', listedTableBody)
  return {
    title: 'Query',
    body: (
      <>
        <form
          method="post"
          action={at}
          class="panel"
          data-sql={JSON.stringify(Object.fromEntries(tables.map(({ id, columns = [] }) => [id, columns])))}
        >
          <label>
            SQL of DuckDB, on the tables that your token may read
            <textarea name="sql" rows={8} spellcheck={false} required>
              {sql}
            </textarea>
          </label>
          <label class="inline">
            <input type="checkbox" name="detectTypes" value="1" checked={detectsTypes} /> Read texts as
            numbers, dates or booleans where a column holds nothing else
          </label>
          <label>
            Earlier queries of this browser
            <select data-earlier disabled>
              <option value="">Choose one</option>
            </select>
          </label>
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
              <label>
                Or keep the whole result as a table
                <input name="tableId" placeholder="out.c-main.by-city" value={tableId} />
              </label>
              <div class="actions">
                <button type="submit" name="format" value="table">
                  Save as table
                </button>
              </div>
            </>
          )}
        </form>
        {answer !== undefined && <Result answer={answer} />}
        <Tables tables={tables} />
      </>
    ),
  }
}

const Result = ({ answer }: { answer: NonNullable<Answer> }) => {
  if ('problem' in answer) return <Problem>{answer.problem}</Problem>
  const chart = chartOf(answer)
  const { columns, rows, isTruncated, tables } = answer
  const read = tables.reduce((sum, table) => sum + table.bytes, 0)
  return (
    <section class="panel">
      <h2>Result</h2>
      <p>
        {isTruncated
          ? `The first ${count(rows.length)} rows; there are more.`
          : `${rowsText(rows.length, 0)}.`}{' '}
        It counted as {bytes(read)} of {tables.map(({ tableId }) => tableId).join(', ') || 'no table'}.
      </p>
      {chart && <div data-chart={JSON.stringify(chart)} role="img" aria-label="Chart of the result" />}
      {rows.length === 0 ? (
        <Empty>No row matches.</Empty>
      ) : (
        <Grid
          caption="Result"
          head={columns.map(({ name, type }) => (isNumeric(type) ? { number: name } : name))}
        >
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

const MAX_SERIES = 4

/** Columns of numbers over the first other column, or over the number of the row. `undefined`: there is nothing to draw. */
const chartOf = ({ columns, rows }: QueryBody) => {
  const numeric = columns.flatMap(({ type }, index) => (isNumeric(type) ? [index] : []))
  const label = columns.findIndex(({ type }) => !isNumeric(type))
  if (rows.length < 2 || numeric.length === 0) return undefined
  return {
    labels: rows.map((row, place) => (label === -1 ? String(place + 1) : textOf(row[label]).slice(0, 40))),
    series: numeric.slice(0, MAX_SERIES).map(index => ({
      name: columns[index]?.name ?? '',
      values: rows.map(row => (row[index] === null ? null : Number(row[index]))),
    })),
  }
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
      <Grid caption="Tables and their columns" head={['Table', { number: 'Rows' }, 'Action', 'Columns']}>
        {tables.map(({ id, columns = [], rowsCount }) => (
          <tr>
            <th scope="row">
              <a href={tablePath(id)}>{id}</a>
            </th>
            <td class="number">{count(rowsCount)}</td>
            <td>
              <a class="btn" href={`${at}?table=${encodeURIComponent(id)}`} aria-label={`Query ${id}`}>
                Query
              </a>
            </td>
            <td class="cell">{columns.join(', ')}</td>
          </tr>
        ))}
      </Grid>
    )}
  </section>
)
