import { beforeEach, describe, expect, it } from 'vitest'
import minute from '#events/tick/minute.json' with { type: 'json' }
import { schedulesOfHosted, schedulesOfStack, startDueRuns } from '#functions/tick/due-schedules.ts'
import { tickEvent } from '#functions/tick/event.ts'
import { UserError } from '#lib/errors/errors.ts'
import type { Configuration } from '#lib/storage-client/storage-client.ts'

const { time } = tickEvent.parse(minute) as { time: Date } // It is the clock's.
const atMinute = (minutes: number) => new Date(time.getTime() + minutes * 60_000)

let started: Map<string, Record<string, unknown>>
let events: { message: string }[]

beforeEach(() => {
  started = new Map()
  events = []
})

const configuration = (id: string, schedule: unknown, more: Partial<Configuration> = {}): Configuration => ({
  id,
  name: id,
  version: 1,
  isDisabled: false,
  configuration: schedule === undefined ? {} : { schedule },
  state: {},
  rows: [],
  authors: [],
  adoptedSecrets: [],
  currentVersion: { created: '2026-01-01T00:00:00+0000', creatorToken: { id: '1' } },
  ...more,
})

/** What is started in this minute. */
const tick = async (at: Date, configurations: Configuration[]): Promise<unknown[]> => {
  const before = started.size
  const storage = {
    async *configurations(component: string) {
      if (component === 'ex-generic-v2') return yield* configurations
      throw new UserError('notFound', 'No such component', { status: 404 })
    },
  }
  await startDueRuns(at, schedulesOfHosted(storage, ['ex-unknown', 'ex-generic-v2']), {
    storage: { postEvent: async event => void events.push(event) },
    startRun: async (name, input) => void started.set(name, input),
    log: { warn: () => {}, error: () => {} },
  })
  return [...started.values()].slice(before).map(({ configId }) => configId)
}

describe('schedules of a hosted service', () => {
  it.each<[string, unknown, boolean]>([
    ['a cron expression', 'cron(0 6 * * ? *)', true],
    ['another hour', 'cron(0 7 * * ? *)', false],
    ['a rate', 'rate(1 hour)', true],
    ['a time zone', { expression: 'cron(0 7 * * ? *)', timezone: 'Europe/Prague' }, true],
    ['a moment', 'at(2026-11-21T06:00:00)', true],
    ['one that is switched off', { expression: 'rate(1 hour)', isEnabled: false }, false],
    ['none', undefined, false],
    ['null', null, false],
  ])('%s', async (_, schedule, isDue) => {
    expect(await tick(time, [configuration('a', schedule)])).toEqual(isDue ? ['a'] : [])
  })

  it('starts a run once for each moment, however often it is told of it, and makes up for lost minutes', async () => {
    const hourly = [configuration('a', 'rate(1 hour)')]
    expect(await tick(atMinute(3), hourly)).toEqual(['a'])
    expect(await tick(atMinute(3), hourly)).toEqual([])
    expect(await tick(atMinute(7), hourly)).toEqual([])
    expect(await tick(atMinute(30), hourly)).toEqual([])
    expect(await tick(atMinute(60), hourly)).toEqual(['a'])
  })

  it('says who starts the run, and that it is skipped while another one is under way', async () => {
    await tick(time, [configuration('a', 'rate(1 hour)')])
    expect([...started]).toEqual([
      [
        expect.stringMatching(/^schedule-[0-9a-f]{24}-20261121T060000000Z$/),
        {
          componentId: 'ex-generic-v2',
          configId: 'a',
          overlap: 'skip',
          trigger: 'schedule of the configuration, due 2026-11-21T06:00:00.000Z',
        },
      ],
    ])
  })

  it('does not run what was due before the schedule was changed, nor a disabled configuration', async () => {
    const changed = {
      currentVersion: { created: '2026-11-21T06:00:30+0000', creatorToken: { id: '1' } },
    }
    expect(await tick(atMinute(1), [configuration('a', 'rate(1 hour)', changed)])).toEqual([])
    expect(await tick(time, [configuration('b', 'rate(1 hour)', { isDisabled: true })])).toEqual([])
  })

  it('a run that cannot be started, since what it names is gone, is said, and the others start', async () => {
    started.set = (name, input) => {
      if (input['configId'] === 'a') throw new UserError('notFound', 'Gone', { status: 404 })
      return Map.prototype.set.call(started, name, input)
    }
    const all = ['a', 'b'].map(id => configuration(id, 'rate(1 hour)'))
    await expect(tick(time, all)).rejects.toThrow('Gone')
    expect([...started.values()]).toMatchObject([{ configId: 'b' }])
  })

  it('spreads configurations over a flexible window, each at the same minute of it every time', async () => {
    const schedule = { expression: 'cron(0 6 * * ? *)', flexibleMinutes: 60 }
    const all = Array.from({ length: 40 }, (_, index) => configuration(`c${index}`, schedule))
    const minuteOf = async (day: number) => {
      const minutes = new Map<unknown, number>()
      for (let at = 0; at < 75; at++)
        for (const id of await tick(atMinute(day * 1440 + at), all)) minutes.set(id, at)
      return minutes
    }
    const first = await minuteOf(0)
    expect(first.size).toBe(40)
    expect(new Set(first.values()).size).toBeGreaterThan(10)
    expect(Math.max(...first.values())).toBeLessThan(60)
    expect([...(await minuteOf(1))].sort()).toEqual([...first].sort())
  })

  it('tells the author of a schedule that cannot be read, once, and starts the others', async () => {
    const wrong = (created: string) =>
      configuration('wrong', 'every day', { currentVersion: { created, creatorToken: { id: '1' } } })
    const right = configuration('right', 'rate(1 hour)')
    expect(await tick(time, [wrong('2026-11-21T05:59:30+0000'), right])).toEqual(['right'])
    expect(events).toEqual([expect.objectContaining({ message: expect.stringContaining('every day') })])
    await tick(atMinute(10), [wrong('2026-11-21T05:59:30+0000')])
    expect(events).toHaveLength(1)
  })
})

it('schedules of the stack start what they name, each moment once, spread over their minutes', async () => {
  const runs: [string, object][] = []
  const nightly = { name: 'nightly', expression: 'cron(0 6 * * ? *)', componentId: 'ex', configId: 'shop' }
  const look = async (minutes: number, ...schedules: (typeof nightly & object)[]) => {
    const { started: names } = await startDueRuns(atMinute(minutes), schedulesOfStack(schedules), {
      startRun: async (name, input) => void runs.push([name, input]),
      storage: { postEvent: async () => {} },
      log: { warn: () => {}, error: () => {} },
    })
    return names
  }
  expect(await look(-1, nightly)).toEqual([])
  const [run] = await look(0, nightly, { ...nightly, name: 'off', ...{ isEnabled: false } })
  expect(await look(9, nightly)).toEqual([run])
  expect(await look(11, nightly)).toEqual([])
  const input = {
    componentId: 'ex',
    configId: 'shop',
    overlap: 'skip',
    trigger: 'schedule nightly, due 2026-11-21T06:00:00.000Z',
  }
  expect(runs).toEqual([
    [run, input],
    [run, input],
  ])
  const spread = { ...nightly, flexibleMinutes: 15, overlap: 'wait' }
  const spreadRuns = await Promise.all(Array.from({ length: 15 }, (_, minute) => look(minute, spread)))
  expect(new Set(spreadRuns.flat()).size).toBe(1)
  expect(runs.at(-1)).toMatchObject([spreadRuns.at(-1)?.[0] ?? expect.any(String), { overlap: 'wait' }])
})
