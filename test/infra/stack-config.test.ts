import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { landingRules } from '#functions/start-import/landing-rules.ts'
import { readSchedule } from '#lib/schedules/schedule-expression.ts'
import { isSchedule } from '../../infra/schedule-expression.ts'
import { readStackConfig } from '../../infra/stack-config.ts'

/*
 * infra/ has its own checks of landing rules and schedules, so that a deployment loads no code of functions. These examples
 * run both checks, which must agree.
 */

const isDone = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

const isDeployable = (context: Record<string, unknown>): boolean => isDone(() => readStackConfig(context))

describe('landing rules', () => {
  const rule = { match: '^a/', tableId: 'in.c-a.a' }

  it.each<[string, unknown, boolean]>([
    ['no rule', [], true],
    ['a key and a table', [rule], true],
    ['several', [rule, rule], true],
    [
      'all fields',
      [{ ...rule, primaryKey: ['id'], incremental: true, delimiter: ';', enclosure: "'", columns: ['id'] }],
      true,
    ],
    ['named groups', [{ match: '^(?<year>\\d{4})/', tableId: 'in.c-a.t_{year}' }], true],
    ['one rule outside a list', rule, false],
    ['no table', [{ match: '^a/' }], false],
    ['an empty table', [{ ...rule, tableId: '' }], false],
    ['no key', [{ tableId: 'in.c-a.a' }], false],
    ['what is no regular expression', [{ ...rule, match: '(' }], false],
    ['a primary key outside a list', [{ ...rule, primaryKey: 'id' }], false],
    ['an empty column', [{ ...rule, columns: [''] }], false],
    ['a text for a flag', [{ ...rule, incremental: 'yes' }], false],
    ['an unknown field', [{ ...rule, table: 'a' }], false],
  ])('%s', (_, rules, isAccepted) => {
    expect(landingRules.safeParse(rules).success).toBe(isAccepted)
    expect(isDeployable({ landingRules: rules })).toBe(isAccepted)
  })
})

describe('schedules', () => {
  const isRun = (expression: string, timezone: string) => isDone(() => readSchedule(expression, timezone))
  const isAccepted = (expression: string, timezone: string) =>
    isDeployable({ schedules: [{ name: 'nightly', expression, timezone, componentId: 'c', configId: '1' }] })

  it.each([
    ['rate(1 minute)', 'UTC', true],
    ['rate(5 minutes)', 'UTC', true],
    ['rate(12 hours)', 'UTC', true],
    ['rate(1 day)', 'UTC', true],
    ['rate(0 minutes)', 'UTC', false],
    ['rate(5 weeks)', 'UTC', false],
    ['rate(5)', 'UTC', false],
    ['at(2027-01-01T08:00:00)', 'UTC', true],
    ['at(2027-01-01T08:00:00)', 'Europe/Prague', true],
    ['at(2027-13-01T08:00:00)', 'UTC', false],
    ['at(2027-01-01)', 'UTC', false],
    ['at(tomorrow)', 'UTC', false],
    ['cron(0 8 * * ? *)', 'UTC', true],
    ['cron(0 8 * * ? *)', 'America/New_York', true],
    ['cron(0 8 * * ? *)', 'Mars/Base', false],
    ['cron(0/15 * * * ? *)', 'UTC', true],
    ['cron(*/10 0-6 * * ? *)', 'UTC', true],
    ['cron(10/20 5-6,12 ? * 1 *)', 'UTC', true],
    ['cron(0 8 ? * MON-FRI *)', 'UTC', true],
    ['cron(0 8 ? JAN,jul 2-6 2028-2030)', 'UTC', true],
    ['cron(0 8 ? * 2#1 *)', 'UTC', true],
    ['cron(0 8 ? * 6L *)', 'UTC', true],
    ['cron(0 8 L * ? *)', 'UTC', true],
    ['cron(0 8 15W * ? *)', 'UTC', true],
    ['cron(0 8 1 1 ? 2020)', 'UTC', true],
    ['cron(0 8 * * *)', 'UTC', false],
    ['cron(0 8 1 * 1 *)', 'UTC', false],
    ['cron(60 8 * * ? *)', 'UTC', false],
    ['cron(0 24 * * ? *)', 'UTC', false],
    ['cron(0 8 32 * ? *)', 'UTC', false],
    ['cron(0 8 * 13 ? *)', 'UTC', false],
    ['cron(0 8 ? * 2#6 *)', 'UTC', false],
    ['cron(0 8 ? * DAY *)', 'UTC', false],
    ['cron(30-10 8 * * ? *)', 'UTC', false],
    ['cron(0/0 8 * * ? *)', 'UTC', false],
    ['cron(0/70 8 * * ? *)', 'UTC', false],
    ['cron(0,, 8 * * ? *)', 'UTC', false],
    ['daily', 'UTC', false],
  ])('%s in %s', (expression, timezone, expected) => {
    expect(isRun(expression, timezone)).toBe(expected)
    expect(isAccepted(expression, timezone)).toBe(expected)
  })

  it.each(['at(2027-02-30T08:00:00)', 'cron(? 8 * * ? *)', 'cron(0 8 ? * 0 *)', 'cron(0 8 * * ? 1969)'])(
    '%s, which EventBridge would refuse, is not deployed',
    expression => {
      expect(isAccepted(expression, 'UTC')).toBe(false)
    },
  )

  const number = fc.integer({ min: 0, max: 62 }).map(String)
  const item = fc.oneof(
    number,
    fc.constantFrom(
      '*',
      '?',
      'L',
      'MON',
      'sat',
      'JAN',
      'MON-FRI',
      'FRI-MON',
      '2028',
      '6L',
      '2#1',
      '2#6',
      '15W',
    ),
    fc.tuple(number, number).map(([first, last]) => `${first}-${last}`),
    fc.tuple(fc.oneof(number, fc.constantFrom('*', 'MON', '2028')), number).map(parts => parts.join('/')),
  )
  const field = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('*', '?') },
    { weight: 2, arbitrary: item },
    { weight: 1, arbitrary: fc.array(item, { minLength: 2, maxLength: 3 }).map(items => items.join(',')) },
  )

  it('what is deployed can be run', () => {
    fc.assert(
      fc.property(fc.array(field, { minLength: 6, maxLength: 6 }), fields => {
        const expression = `cron(${fields.join(' ')})`
        return isRun(expression, 'UTC') || !isSchedule(expression, 'UTC')
      }),
      { numRuns: 3_000 },
    )
  })
})
