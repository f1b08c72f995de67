import type { LogLinesBody } from '#lib/wire/run-body.ts'
import { counted } from '../format.ts'
import { Empty, Grid } from '../layout.tsx'
import { Status, Tabs, Time } from '../parts.tsx'

interface LogsProps {
  log: LogLinesBody | { problem: string }
  /** Of the page that shows them. */
  path: string
  /** One of `levels`; anything else shows all. */
  level: string | undefined
}

/** What the functions wrote about a piece of work; or where that is, or why it is not shown. */
export const Logs = ({ log, ...rest }: LogsProps) => (
  <>
    <h2>Log</h2>
    {'problem' in log ? <p class="hint">{log.problem}</p> : <Lines log={log} {...rest} />}
  </>
)

const Lines = ({
  log: { lines, isComplete, insights },
  path,
  level = '',
}: Omit<LogsProps, 'log'> & { log: LogLinesBody }) => {
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
  const pathTo = (one: string): string => (one === 'all' ? path : `${path}?level=${one}`)
  const chosen = Object.hasOwn(levels, level) ? level : 'all'
  const ofLevel = (one: string) => lines.filter(line => levels[one]?.(kindOf(line.level)))
  const shown = ofLevel(chosen)
  return (
    <>
      {lines.length === 0 && <Empty>None are kept.</Empty>}
      {loud.length > 0 && <LineTable caption="The lines that matter" lines={loud.slice(0, LOUD_SHOWN)} />}
      {lines.length > 0 && (
        <details open={chosen !== 'all' || (loud.length === 0 && lines.length <= FEW)} id="log">
          <summary>All {counted(lines.length, 'line')}</summary>
          <Tabs
            label="Of which level"
            of={Object.keys(levels).map(one => [pathTo(one), one, ofLevel(one).length])}
            at={pathTo(chosen)}
          />
          {shown.length === 0 ? (
            <Empty>No line is of this level.</Empty>
          ) : (
            <LineTable caption="Log lines" lines={shown} />
          )}
        </details>
      )}
      {!isComplete && (
        <p class="hint">Only the newest lines of each log are read; there may be older ones.</p>
      )}
    </>
  )
}

const LOUD_SHOWN = 3
/** So many are shown without a click. */
const FEW = 10

type Kind = 'error' | 'warn' | 'info'

/** What is shown of the lines, by name. */
const levels: Readonly<Record<string, (kind: Kind) => boolean>> = {
  all: () => true,
  warnings: kind => kind !== 'info',
  errors: kind => kind === 'error',
}

type Line = LogLinesBody['lines'][number]

const kindOf = (level: string): Kind =>
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
        <td class="sentence">
          <details>
            <summary>{line.message}</summary>
            <pre>{JSON.stringify(line, null, 2)}</pre>
          </details>
        </td>
      </tr>
    ))}
  </Grid>
)
