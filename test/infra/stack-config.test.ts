import { describe, expect, it } from 'vitest'
import { readStackConfig } from '../../infra/stack-config.ts'

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
    expect(isDeployable({ landingRules: rules })).toBe(isAccepted)
  })
})

describe('schedules', () => {
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
    expect(isAccepted(expression, timezone)).toBe(expected)
  })
})
