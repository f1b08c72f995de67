import type { DeadLetterBody } from '#lib/wire/dead-letter-body.ts'
import { type RunBody, runBody, shownStatus } from '#lib/wire/run-body.ts'
import { type ScheduleBody, scheduleBody } from '#lib/wire/schedule-body.ts'
import { listedTableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, orNothing, query } from '../api-client.ts'
import { type ConfigurationNames, configurationNames, nameIn } from '../configuration-names.ts'
import { bytes, count, counted } from '../format.ts'
import { configurationPath, runPath } from '../links.tsx'
import { List } from '../list.tsx'
import { Empty, Facts, Status, Time } from '../parts.tsx'
import { mayLoad } from '../person.ts'
import { page } from '../route.ts'
import { namesIn, openLetters, subjectOf } from './dead-letters.tsx'

const SCHEDULES_SHOWN = 20
const SHOWN = 8

/** A configuration that runs by a clock. */
interface Scheduled {
  name: string
  at: string
  /** Undefined: it never ran, or more than 90 days ago. */
  last: RunBody | undefined
  next: string | undefined
  /** `late`: it should have run since. */
  state: string
}

/** So long a run may be late before somebody is told: the clock looks each minute, and starts what it missed within ten. */
const TOLERANCE_MS = 15 * 60_000

/** Whether no run was asked for since the last time that one was due. One that has not ended may be the reason, and is no lateness. */
const isLate = (last: RunBody | undefined, { lastTime }: ScheduleBody, now: Date): boolean =>
  lastTime !== null &&
  now.getTime() - Date.parse(lastTime) > TOLERANCE_MS &&
  last?.endTime !== null &&
  (last === undefined || Date.parse(last.createdTime) < Date.parse(lastTime))

/** What runs by a clock that is not switched off, each with its newest run. */
const schedulesOf = async (client: ApiClient, now: Date): Promise<Scheduled[]> => {
  const all = (await orNothing(client.list('/scheduler/schedules', scheduleBody))) ?? []
  const armed = all.filter(({ schedule, nextTimes }) => schedule.state === 'invalid' || nextTimes.length > 0)
  const shown = armed.slice(0, SCHEDULES_SHOWN).map(one => {
    const { componentId, configurationId: configId } = one.target
    return { ...one, componentId, configId }
  })
  const names = await configurationNames(client, shown)
  return Promise.all(
    shown.map(async one => {
      const { componentId, configId, nextTimes } = one
      const [last] = await client.list(`runs${query({ componentId, configId, limit: 1 })}`, runBody)
      const stateOfLast = last === undefined ? 'not run yet' : shownStatus(last)
      const state = isLate(last, one, now) ? 'late' : stateOfLast
      return {
        name: nameIn(names, one),
        at: configurationPath(componentId, configId),
        last,
        next: nextTimes[0],
        state: one.schedule.state === 'invalid' ? 'cannot be read' : state,
      }
    }),
  )
}

const sum = (numbers: readonly (number | null)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0)

/** What there is, and what failed and waits for somebody. */
export const overviewPages = [
  page('/console', async ({ client, now }) => {
    const [tables, letters, schedules] = await Promise.all([
      client.list('tables?include=', listedTableBody),
      orNothing(openLetters(client)),
      schedulesOf(client, now),
    ])
    const newest = (letters ?? []).slice(0, SHOWN)
    const mayDrop = mayLoad(await client.person())
    return {
      title: 'Overview',
      live: 10,
      body: (
        <>
          <NeedsYou letters={letters?.length ?? 0} late={schedules.filter(isOfLate).length} />
          <Facts
            of={[
              ['Tables', count(tables.length)],
              ['Rows', count(sum(tables.map(({ rowsCount }) => rowsCount)))],
              ['Storage', bytes(sum(tables.map(({ dataSizeBytes }) => dataSizeBytes)))],
            ]}
          />
          {tables.length === 0 && (
            <Empty
              icon="upload"
              action={mayDrop ? <a href="/console/drop">Drop a file and get a table</a> : undefined}
            >
              No tables yet.
            </Empty>
          )}
          {schedules.length > 0 && <Schedules of={schedules} />}
          {letters !== undefined && <Failures of={newest} names={await namesIn(client, newest)} />}
        </>
      ),
    }
  }),
]

const isOfLate = ({ state }: Scheduled): boolean => state === 'late'

const NeedsYou = ({ letters, late }: { letters: number; late: number }) =>
  letters + late === 0 ? null : (
    <section class="panel">
      <h2>Needs you</h2>
      <ul>
        {letters > 0 && (
          <li>
            <a href="/console/dead-letters">
              {counted(letters, 'dead letter')}: what failed and nobody has mended
            </a>
          </li>
        )}
        {late > 0 && <li>{counted(late, 'schedule')} should have run by now: see below</li>}
      </ul>
    </section>
  )

const Failures = ({ of, names }: { of: readonly DeadLetterBody[]; names: ConfigurationNames }) => (
  <>
    <h2>Newest failures</h2>
    <List
      caption="Newest failures"
      of={of}
      empty={<Empty icon="check">Nothing has failed that waits for you.</Empty>}
      columns={[
        [
          'What',
          letter => [subjectOf(letter, names), <div class="outcome">{letter.failure.message}</div>],
          'name',
        ],
        ['When', ({ created }) => <Time at={created} />],
      ]}
    />
  </>
)

/** Late ones first, then those that run next. */
const Schedules = ({ of }: { of: readonly Scheduled[] }) => (
  <>
    <h2>Schedules</h2>
    <List
      caption="Schedules"
      of={of.toSorted(
        (a, b) => Number(isOfLate(b)) - Number(isOfLate(a)) || (a.next ?? '').localeCompare(b.next ?? ''),
      )}
      columns={[
        ['Configuration', ({ at, name }) => <a href={at}>{name}</a>, 'name'],
        ['State', ({ state }) => <Status value={state} />],
        ['Last run', ({ last }) => (last === undefined ? '–' : <RunTime run={last} />)],
        ['Next run', ({ next }) => <Time at={next} />],
      ]}
    />
  </>
)

const RunTime = ({ run }: { run: RunBody }) => (
  <a href={runPath(run.id)}>
    <Time at={run.startTime} />
  </a>
)
