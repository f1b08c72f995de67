import { describe, expect, it } from 'vitest'
import { parseTime } from '#functions/storage-api/tables/parse-time.ts'

const now = new Date('2026-07-16T10:20:30.000Z')

describe('parseTime', () => {
  it.each([
    ['1750000000', '2025-06-15T15:06:40.000Z'],
    ['now', '2026-07-16T10:20:30.000Z'],
    ['today', '2026-07-16T00:00:00.000Z'],
    ['yesterday', '2026-07-15T00:00:00.000Z'],
    ['-2 days', '2026-07-14T10:20:30.000Z'],
    ['2 days ago', '2026-07-14T10:20:30.000Z'],
    ['+1 hour', '2026-07-16T11:20:30.000Z'],
    ['-1 month', '2026-06-16T10:20:30.000Z'],
    ['1 year ago', '2025-07-16T10:20:30.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+0200', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ])('reads %j', (value, expected) => {
    expect(parseTime('changedSince', value, now).toISOString()).toBe(expected)
  })

  it.each(['', 'soon', '2026-13-45', '-3 fortnights', '999999 years ago', '__proto__', '1 constructor'])(
    'refuses %j',
    value => {
      expect(() => parseTime('changedSince', value, now)).toThrow(
        expect.objectContaining({ code: 'storage.tables.validation' }),
      )
    },
  )
})
