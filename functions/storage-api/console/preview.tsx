import type { Child } from 'hono/jsx'
import type { PreviewResult } from '../../lib/extractor/run/preview/preview-schemas.ts'
import { bytes, counted } from './format.ts'
import { type Column, List } from './list.tsx'
import { Outcomes } from './outcomes.tsx'
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
