import type { PreviewResult } from '#lib/extractor/run/preview/preview-schemas.ts'
import { bytes, counted } from '../format.ts'
import { Empty, Grid, Problem } from '../layout.tsx'
import { JobsOfExtraction } from './runs.tsx'

interface BenchProps {
  /** Of the configuration. */
  path: string
  /** Rows of the configuration that can be tried. */
  rowsOf: readonly { id: string; name: string }[]
  /** The row that is tried; empty: the first that is enabled. */
  rowId: string
  rows: string
  preview?: PreviewResult | undefined
}

/** Tries a configuration: what the API is asked and answers, which tables come of it. */
export const Bench = ({ path, rowsOf, rowId, rows, preview }: BenchProps) => (
  <>
    <form method="post" action={`${path}/bench`} class="filter">
      {rowsOf.length > 0 && (
        <label>
          Row
          <select name="rowId">
            {rowsOf.map(({ id, name }) => (
              <option value={id} selected={id === rowId}>
                {name || id}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Rows of each job
        <input type="number" name="rows" min={1} max={100} value={rows} />
      </label>
      <button type="submit" class="btn-primary">
        Preview against the API
      </button>
    </form>
    {preview !== undefined && <Preview preview={preview} runPath={`${path}/run`} />}
  </>
)

/** What comes of a configuration. `runPath`: where it is run; without it there is no button. */
export const Preview = ({ preview, runPath }: { preview: PreviewResult; runPath?: string }) => (
  <>
    {preview.error !== null && (
      <Problem>
        {preview.error.message} <code>{preview.error.code}</code>
      </Problem>
    )}
    {preview.stoppedBy !== null && (
      <Problem>The preview was stopped: it reached its limit of {preview.stoppedBy}.</Problem>
    )}
    <h2>Tables</h2>
    {preview.tables.length === 0 ? (
      <Empty>None came of it.</Empty>
    ) : (
      <>
        {preview.tables.map(({ name, columns, rows, rowsCount, isCut }) => (
          <section>
            <h3>
              {name}: {counted(rowsCount, 'row')}
            </h3>
            <Grid caption={`Rows of ${name}`} head={columns}>
              {rows.map(row => (
                <tr>
                  {row.map(cell => (
                    <td class="cell">{cell}</td>
                  ))}
                </tr>
              ))}
            </Grid>
            {isCut && <p class="hint">Long cells or rows were cut.</p>}
          </section>
        ))}
        {runPath !== undefined && (
          <form method="post" action={runPath} class="actions">
            <button type="submit">Make it a table: run it now</button>
          </form>
        )}
      </>
    )}
    <JobsOfExtraction jobs={preview.jobs} />
    <h2>Requests and answers</h2>
    {preview.exchanges.map(exchange => (
      <ExchangeDetail exchange={exchange} />
    ))}
    {preview.log.length > 0 && (
      <>
        <h2>Log</h2>
        <pre>{preview.log.map(({ level, message }) => `${level}: ${message}`).join('\n')}</pre>
      </>
    )}
  </>
)

type Exchange = PreviewResult['exchanges'][number]

const ExchangeDetail = ({
  exchange: { number, seconds, request, response, failure },
}: {
  exchange: Exchange
}) => (
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

const rawOf = ({
  headers,
  body,
  isBodyCut,
}: Exchange['request'] | NonNullable<Exchange['response']>): string =>
  [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`),
    '',
    isBodyCut ? `${body}…` : body,
  ].join('\n')
