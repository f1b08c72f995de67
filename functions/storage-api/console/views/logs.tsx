import type { LogLinesBody } from '#lib/wire/run-body.ts'
import { counted } from '../format.ts'
import { Empty, Grid } from '../layout.tsx'
import { Status, Time } from '../parts.tsx'

/** What the functions wrote about a piece of work; or where that is, or why it is not shown. */
export const Logs = ({ log }: { log: LogLinesBody | { problem: string } }) => (
  <>
    <h2>Log</h2>
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
  const loud = lines.filter(({ level }) => kindOf(level) !== 'info').toSorted((a, b) => rank(a) - rank(b))
  return (
    <>
      {lines.length === 0 && <Empty>None are kept.</Empty>}
      {loud.length > 0 && <LineTable caption="The lines that matter" lines={loud.slice(0, LOUD_SHOWN)} />}
      {lines.length > 0 && (
        <details open={loud.length === 0}>
          <summary>All {counted(lines.length, 'line')}</summary>
          <LineTable caption="Log lines" lines={lines} />
        </details>
      )}
      {!isComplete && (
        <p class="hint">Only the newest lines of each log are read; there may be older ones.</p>
      )}
    </>
  )
}

const LOUD_SHOWN = 3

type Line = LogLinesBody['lines'][number]

const kindOf = (level: string): 'error' | 'warn' | 'info' =>
  /^(error|critical)$/i.test(level) ? 'error' : /^warn/i.test(level) ? 'warn' : 'info'

/** Errors stand before warnings. */
const rank = ({ level }: Line): number => (kindOf(level) === 'error' ? 0 : 1)

const LineTable = ({ caption, lines }: { caption: string; lines: readonly Line[] }) => (
  <Grid caption={caption} head={['When', 'Level', 'Function', 'Message']}>
    {lines.map(line => (
      <tr>
        <td>
          <Time at={line.timestamp} />
        </td>
        <td>
          <Status value={kindOf(line.level)} />
        </td>
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
)
