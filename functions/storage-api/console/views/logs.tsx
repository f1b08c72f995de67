import type { LogLinesBody } from '#lib/wire/run-body.ts'
import { Grid } from '../layout.tsx'

/** What the functions wrote about a piece of work; or where that is, or why it is not shown. */
export const Logs = ({ log }: { log: LogLinesBody | { problem: string } }) => (
  <>
    <h2>Log lines</h2>
    {'problem' in log ? <p class="hint">{log.problem}</p> : <Lines log={log} />}
  </>
)

const Lines = ({ log: { lines, isComplete, insights } }: { log: LogLinesBody }) => {
  if (insights !== null)
    return (
      <p>
        <a href={insights} rel="noreferrer">
          Query them in CloudWatch Logs Insights
        </a>
        : choose the log groups whose names begin with that of the stack.
      </p>
    )
  return (
    <>
      {lines.length === 0 ? (
        <p class="hint">None are kept.</p>
      ) : (
        <Grid caption="Log lines" head={['Time', 'Level', 'Function', 'Message']}>
          {lines.map(line => (
            <tr>
              <td>{line.timestamp}</td>
              <td>{line.level}</td>
              <td>{line.service}</td>
              <td class="cell">
                <details>
                  <summary>{line.message}</summary>
                  <pre>{JSON.stringify(line, null, 2)}</pre>
                </details>
              </td>
            </tr>
          ))}
        </Grid>
      )}
      {!isComplete && (
        <p class="hint">Only the newest lines of each log are read; there may be older ones.</p>
      )}
    </>
  )
}
