import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { schedule as scheduleType } from '#local/runtime/resources/events.ts'
import { Scheduler } from '#local/runtime/schedules/scheduler.ts'

const targetArn = 'arn:machine'
const schedule = (Input: string, properties: object = {}) => ({
  name: 'daily',
  arn: 'arn:schedule',
  logicalId: 'Daily',
  properties: scheduleType.properties.parse({
    ScheduleExpression: 'rate(10 minutes)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: targetArn, RoleArn: 'arn:role', Input },
    ...properties,
  }),
})

const delivered: string[] = []
const schedulerOf = (given: ReturnType<typeof schedule>) =>
  new Scheduler({
    schedules: [given],
    deliver: async (_target, input) => {
      delivered.push(input)
    },
    isKnownTarget: arn => arn === targetArn,
    log: () => {},
  })

beforeEach(() => {
  delivered.length = 0
  vi.useFakeTimers({ now: new Date('2026-11-20T12:05:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('Scheduler', () => {
  it('gives the target its input each time it is due, until it is closed', () => {
    const scheduler = schedulerOf(schedule('{"at":"<aws.scheduler.scheduled-time>"}'))
    scheduler.start({ hasEarlierWork: true })
    vi.advanceTimersByTime(4 * 60_000)
    expect(delivered).toEqual([])
    vi.advanceTimersByTime(10 * 60_000)
    expect(delivered).toEqual(['{"at":"2026-11-20T12:10:00Z"}'])
    vi.advanceTimersByTime(10 * 60_000)
    expect(delivered).toHaveLength(2)
    scheduler.close()
    vi.advanceTimersByTime(60 * 60_000)
    expect(delivered).toHaveLength(2)
  })

  it('runs a schedule of each minute at once', () => {
    const everyMinute = { ScheduleExpression: 'rate(1 minute)' }
    const scheduler = schedulerOf(schedule('{"at":"<aws.scheduler.scheduled-time>"}', everyMinute))
    scheduler.start({ hasEarlierWork: true })
    expect(delivered).toEqual(['{"at":"2026-11-20T12:05:00Z"}'])
    vi.advanceTimersByTime(60_000)
    expect(delivered).toHaveLength(2)
    scheduler.close()
  })

  it('waits for the first minute when there is no work from before', () => {
    const everyMinute = { ScheduleExpression: 'rate(1 minute)' }
    const scheduler = schedulerOf(schedule('{}', everyMinute))
    scheduler.start({ hasEarlierWork: false })
    expect(delivered).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(delivered).toHaveLength(1)
    scheduler.close()
  })

  it('skips what was due while the machine slept', () => {
    const scheduler = schedulerOf(schedule('{}'))
    scheduler.start({ hasEarlierWork: true })
    vi.setSystemTime(new Date('2026-11-20T18:00:01Z'))
    vi.advanceTimersByTime(5 * 60_000)
    expect(delivered).toHaveLength(1)
    scheduler.close()
  })

  it('does not run a disabled schedule', () => {
    const scheduler = schedulerOf(schedule('{}', { State: 'DISABLED' }))
    scheduler.start({ hasEarlierWork: true })
    vi.advanceTimersByTime(60 * 60_000)
    expect(delivered).toEqual([])
  })

  it.each([
    [
      'a target that is not known',
      schedule('{}', { Target: { Arn: 'arn:other', RoleArn: 'r' } }),
      'arn:other',
    ],
    ['a placeholder that is not known', schedule('<aws.scheduler.nothing>'), 'aws.scheduler.nothing'],
  ])('refuses %s by name', (_case, given, message) => {
    expect(() => schedulerOf(given)).toThrow(message)
  })
})
