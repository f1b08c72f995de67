import { listedComponentBody } from '#lib/wire/component-body.ts'
import { configurationBody, type ScheduleBody, scheduleBody } from '#lib/wire/configuration-body.ts'
import type { DeadLetterBody } from '#lib/wire/dead-letter-body.ts'
import { type RunBody, runBody, shownStatus } from '#lib/wire/run-body.ts'
import { listedTableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, orNothing, path, query } from '../api-client.ts'
import type { ConfigurationNames } from '../configuration-names.ts'
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

/** Configurations with a clock that is armed, each with its newest run. Schedules and runs are found by their own lists. */
const schedulesOf = async (client: ApiClient, now: Date): Promise<Scheduled[]> => {
  const components = (await orNothing(client.list('components', listedComponentBody))) ?? []
  const lists = await Promise.all(
    components.map(async ({ id: componentId }) => {
      const asked = query({ hasSchedule: 1, limit: SCHEDULES_SHOWN })
      const found = await client.list(path`components/${componentId}/configs` + asked, configurationBody)
      return found.filter(({ isDisabled }) => !isDisabled).map(one => ({ ...one, componentId }))
    }),
  )
  const clocked = lists.flat().slice(0, SCHEDULES_SHOWN)
  const found = await Promise.all(
    clocked.map(async ({ componentId, id, name }): Promise<Scheduled[]> => {
      const at = path`components/${componentId}/configs/${id}/schedule?count=1`
      const schedule = await orNothing(client.get(at, scheduleBody))
      const next = schedule?.nextTimes[0]
      if (schedule !== undefined && (!schedule.isActive || next === undefined)) return []
      const [last] = await client.list(`runs${query({ componentId, configId: id, limit: 1 })}`, runBody)
      const stateOfLast = last === undefined ? 'not run yet' : shownStatus(last)
      const late = schedule !== undefined && isLate(last, schedule, now)
      const state = schedule === undefined ? 'cannot be read' : late ? 'late' : stateOfLast
      return [{ name: name || id, at: configurationPath(componentId, id), last, next, state }]
    }),
  )
  return found.flat()
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
