import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSchedule } from '#lib/schedules/schedule-expression.ts'

const friday = new Date('2026-11-20T12:34:56Z')
const next = (expression: string, timezone = 'UTC') =>
  readSchedule(expression, timezone).after(friday)?.toISOString().replace('.000Z', 'Z')

describe('readSchedule', () => {
  it.each([
    ['rate(1 minute)', '2026-11-20T12:35:00Z'],
    ['rate(5 minutes)', '2026-11-20T12:35:00Z'],
    ['rate(6 hours)', '2026-11-20T18:00:00Z'],
    ['rate(1 day)', '2026-11-21T00:00:00Z'],
    ['cron(0 8 * * ? *)', '2026-11-21T08:00:00Z'],
    ['cron(0/15 * * * ? *)', '2026-11-20T12:45:00Z'],
    ['cron(10/20 5-6 ? * 1 *)', '2026-11-22T05:10:00Z'],
    ['cron(0 8 ? * MON-FRI *)', '2026-11-23T08:00:00Z'],
    ['cron(0 8 ? * 2-6 *)', '2026-11-23T08:00:00Z'],
    ['cron(0 8 ? * 2#1 *)', '2026-12-07T08:00:00Z'],
    ['cron(0 8 ? * 6L *)', '2026-11-27T08:00:00Z'],
    ['cron(0 8 L * ? *)', '2026-11-30T08:00:00Z'],
    ['cron(0 8 1 1 ? 2028)', '2028-01-01T08:00:00Z'],
    ['cron(0 8 1 1 ? 2020)', undefined],
    ['at(2026-12-24T18:00:00)', '2026-12-24T18:00:00Z'],
    ['at(2020-01-01T00:00:00)', undefined],
  ])('finds when %s is next due', (expression, expected) => {
    expect(next(expression)).toBe(expected)
  })

  it('counts in the time zone of the schedule', () => {
    expect(next('cron(0 8 * * ? *)', 'America/New_York')).toBe('2026-11-20T13:00:00Z')
    expect(next('at(2026-12-24T18:00:00)', 'Europe/Prague')).toBe('2026-12-24T17:00:00Z')
  })

  it.each([
    ['rate(0 minutes)', 'UTC'],
    ['rate(5 weeks)', 'UTC'],
    ['cron(0 8 * * *)', 'UTC'],
    ['cron(0 8 1 * 1 *)', 'UTC'],
    ['cron(61 8 * * ? *)', 'UTC'],
    ['at(tomorrow)', 'UTC'],
    ['every day', 'UTC'],
    ['cron(0 8 * * ? *)', 'Nowhere/Land'],
  ])('refuses %s in %s', (expression, timezone) => {
    expect(() => readSchedule(expression, timezone)).toThrow()
  })

  it('is due at equal distances, always in the future', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.date({ min: new Date(0), noInvalidDate: true }),
        (count, now) => {
          const times = readSchedule(`rate(${count} minutes)`, 'UTC')
          const first = times.after(now)
          const second = first && times.after(first)
          fc.pre(!Number.isNaN(second?.getTime()))
          expect(Number(first)).toBeGreaterThan(now.getTime())
          expect(Number(second) - Number(first)).toBe(count * 60_000)
        },
      ),
    )
  })

  it('was due last at the last of the moments that it was due at, in every time zone', () => {
    const expression = fc.constantFrom(
      'rate(7 minutes)',
      'cron(0/20 * * * ? *)',
      'cron(30 2 * * ? *)',
      '*/5 1-3 * * *',
    )
    const zone = fc.constantFrom('UTC', 'Europe/Prague', 'America/New_York', 'Australia/Lord_Howe')
    // With the days on which clocks change.
    const within = { min: new Date('2026-03-01'), max: new Date('2026-11-30'), noInvalidDate: true }
    fc.assert(
      fc.property(expression, zone, fc.date(within), (written, timezone, until) => {
        const times = readSchedule(written, timezone)
        let last: Date | undefined
        let at = times.after(new Date(until.getTime() - 25 * 3_600_000))
        for (; at && at <= until; at = times.after(at)) last = at
        fc.pre(last !== undefined)
        expect(times.upTo(until)).toEqual(last)
      }),
    )
  })
})
