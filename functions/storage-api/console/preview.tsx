import type { Child } from 'hono/jsx'
import type { PreviewResult } from '../../lib/extractor/run/preview-schemas.ts'
import type { JobOutcome } from '../../lib/wire/run-body.ts'
import { bytes, count, counted, readable } from './format.ts'
import { type Column, List } from './list.tsx'
import { Empty, Problem } from './parts.tsx'

/** What comes of a configuration: tables, why each job ended, what the API was asked and answered. `next`: what to do with the tables. */
export const Preview = ({ preview, next }: { preview: PreviewResult; next?: Child }) => {
  const { error, stoppedBy, tables, jobs, exchanges, log } = preview
  return (
    <>
      {error !== null && <Problem code={error.code}>{error.message}</Problem>}
      {stoppedBy !== null && <Problem>The preview was stopped: it reached its limit of {stoppedBy}.</Problem>}
      <h2>Tables</h2>
      {tables.length === 0 ? <Empty>None came of it.</Empty> : tables.map(table => <Table table={table} />)}
      {tables.length > 0 && next}
      <Outcomes jobs={jobs} />
      <h2>Requests and answers</h2>
      {exchanges.map(exchange => (
        <ExchangeDetail exchange={exchange} />
      ))}
      {log.length > 0 && (
        <>
          <h2>Log</h2>
          <pre>{log.map(({ level, message }) => `${level}: ${message}`).join('\n')}</pre>
        </>
      )}
    </>
  )
}

const Table = ({ table }: { table: PreviewResult['tables'][number] }) => {
  const { name, columns, rows, rowsCount, isCut } = table
  return (
    <section>
      <h3>
        {name}: {counted(rowsCount, 'row')}
      </h3>
      <List
        caption={`Rows of ${name}`}
        of={rows}
        columns={columns.map((column, place): Column<string[]> => [column, row => row[place], 'cell'])}
      />
      {isCut && <p class="hint">Long cells or rows were cut.</p>}
    </section>
  )
}

type Exchange = PreviewResult['exchanges'][number]

const ExchangeDetail = ({ exchange }: { exchange: Exchange }) => {
  const { number, seconds, request, response, failure } = exchange
  return (
    <details class="panel">
      <summary>
        {number}. {request.method} {request.url}: {response === null ? failure : response.status}, {seconds} s
        {response !== null && `, ${bytes(response.bodyBytes)}`}
      </summary>
      <h3>Request</h3>
      <pre>{rawOf(request)}</pre>
      <h3>Answer</h3>
      <pre>{response === null ? failure : rawOf(response)}</pre>
    </details>
  )
}

const rawOf = ({ headers, body, isBodyCut }: Pick<Exchange['request'], 'headers' | 'body' | 'isBodyCut'>) =>
  [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`),
    '',
    isBodyCut ? `${body}…` : body,
  ].join('\n')

/** Requests of a configuration with their pages, and why each ended. */
export const Outcomes = ({ jobs }: { jobs: readonly JobOutcome[] }) => (
  <List
    caption="Jobs of the extraction"
    of={jobs}
    empty={null}
    columns={[
      ['Job', ({ job }) => job, 'name'],
      ['Endpoint', ({ endpoint }) => endpoint],
      ['Data type', ({ dataType }) => dataType],
      ['Pages', ({ pages }) => count(pages), 'number'],
      ['Rows', ({ rows }) => count(rows), 'number'],
      ['Why it ended', ({ ended }) => reasonsIn(ended), 'cell'],
    ]}
  />
)

const reasonsIn = (ended: JobOutcome['ended']): string =>
  Object.entries(ended)
    .map(([reason, times]) => (times === 1 ? reason : `${reason} (${times} times)`))
    .join('; ') || readable(ended)
