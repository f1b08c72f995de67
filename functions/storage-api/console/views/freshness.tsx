import type { ScheduleBody } from '#lib/wire/configuration-body.ts'
import { type RunBody, shownStatus } from '#lib/wire/run-body.ts'
import type { ListedTableBody } from '#lib/wire/table-body.ts'
import { Grid } from '../layout.tsx'
import { Status, Time } from '../parts.tsx'
import { pathOf, runPath, tablePath } from './links.tsx'

/** A configuration that runs by a clock. */
export interface Scheduled {
  componentId: string
  configId: string
  name: string
  /** Undefined: it never ran, or more than 90 days ago. */
  last: RunBody | undefined
  next: string
  /** Whether it should have run since. */
  isLate: boolean
}

/** So long a run may be late before somebody is told: the clock looks each minute, and starts what it missed within ten. */
const TOLERANCE_MS = 15 * 60_000

/** Whether no run has begun since the last time that one was due. One that still runs may be the reason, and is no lateness. */
export const isLate = (last: RunBody | undefined, { lastTime }: ScheduleBody, now: Date): boolean =>
  lastTime !== null &&
  now.getTime() - Date.parse(lastTime) > TOLERANCE_MS &&
  last?.status !== 'processing' &&
  (last === undefined || Date.parse(last.startTime) < Date.parse(lastTime))

/** Late ones first, then those that run next. */
export const Schedules = ({ of }: { of: readonly Scheduled[] }) => (
  <>
    <h2>Schedules</h2>
    <Grid caption="Schedules" head={['Configuration', 'State', 'Last run', 'Next run']}>
      {of
        .toSorted((a, b) => Number(b.isLate) - Number(a.isLate) || a.next.localeCompare(b.next))
        .map(({ componentId, configId, name, last, next, isLate }) => (
          <tr>
            <th scope="row">
              <a href={pathOf(componentId, configId)}>{name}</a>
            </th>
            <td>
              <Status value={isLate ? 'late' : last === undefined ? 'not run yet' : shownStatus(last)} />
            </td>
            <td>
              {last === undefined ? (
                '–'
              ) : (
                <a href={runPath(last.id)}>
                  <Time at={last.startTime} />
                </a>
              )}
            </td>
            <td>
              <Time at={next} />
            </td>
          </tr>
        ))}
    </Grid>
  </>
)

const TABLES_SHOWN = 8

/** Tables whose last load is longest ago first. */
export const Freshness = ({ tables }: { tables: readonly ListedTableBody[] }) => (
  <>
    <h2>Freshness of tables</h2>
    <Grid caption="Tables, longest without a load first" head={['Table', 'Last load', { number: 'Rows' }]}>
      {tables
        .toSorted(
          (a, b) => Date.parse(a.lastImportDate ?? a.created) - Date.parse(b.lastImportDate ?? b.created),
        )
        .slice(0, TABLES_SHOWN)
        .map(({ id, lastImportDate, rowsCount }) => (
          <tr>
            <th scope="row">
              <a href={tablePath(id)}>{id}</a>
            </th>
            <td>
              <Time at={lastImportDate} />
            </td>
            <td class="number">{rowsCount?.toLocaleString('en') ?? '–'}</td>
          </tr>
        ))}
    </Grid>
  </>
)
