import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstRecords } from '#functions/storage-api/console/client/first-records.ts'
import { bytes, count, duration } from '#functions/storage-api/console/format.ts'
import { jobsByHour } from '#functions/storage-api/console/jobs-by-hour.ts'
import { jobSchema } from '#functions/storage-api/console/schemas.ts'
import { sideBySide } from '#functions/storage-api/console/side-by-side.ts'
import { storeOrigins } from '#functions/storage-api/console/store-origins.ts'

it('the preview of a file has the records that a CSV reader finds', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'č', ' '), maxLength: 6 })
  const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(records, fc.constantFrom('\n', '\r\n'), (rows, end) => {
      const text = rows.map(row => row.map(value => `"${value.replaceAll('"', '""')}"`).join(',')).join(end)
      expect(firstRecords(text, ',', 10)).toEqual(parse(text, { relax_column_count: true }))
      expect(firstRecords(text, ',', 1)).toHaveLength(1)
    }),
  )
})

it('two texts side by side give both back, equal lines beside each other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pairs = sideBySide(before.join('\n'), after.join('\n'))
      expect(pairs.flatMap(({ left }) => left ?? [])).toEqual(before)
      expect(pairs.flatMap(({ right }) => right ?? [])).toEqual(after)
    }),
  )
})

it('jobs are counted in the hour of their creation, the current one last', () => {
  const job = (createdTime: string, status: string) =>
    jobSchema.parse({ id: 1, status, operationName: 'tableImport', createdTime })
  const jobs = [
    job('2026-11-21T10:59:59+0000', 'success'),
    job('2026-11-21T11:00:00+0000', 'error'),
    job('2026-11-20T11:00:00+0000', 'error'),
  ]
  expect(jobsByHour(jobs, new Date('2026-11-21T11:30:00Z'), 2)).toEqual([
    { start: '2026-11-21T10:00:00.000Z', done: 1, failed: 0 },
    { start: '2026-11-21T11:00:00.000Z', done: 0, failed: 1 },
  ])
})

describe('numbers for people', () => {
  it.each([
    [bytes(0), '0 B'],
    [bytes(999), '999 B'],
    [bytes(1_500), '1.5 kB'],
    [bytes(2_000_000_000_000), '2.0 TB'],
    [bytes(null), '–'],
    [count(1234567), '1,234,567'],
    [duration('2026-11-21T10:00:00+0000', '2026-11-21T10:00:07+0000'), '7 s'],
    [duration('', ''), ''],
  ])('%s', (shown, expected) => expect(shown).toBe(expected))
})

it.each([
  ['http://127.0.0.1:9000/', 'us-east-1', ['http://127.0.0.1:9000']],
  [undefined, 'eu-west-1', ['https://files.s3.eu-west-1.amazonaws.com', 'https://files.s3.amazonaws.com']],
  ['', 'cn-north-1', ['https://files.s3.cn-north-1.amazonaws.com.cn', 'https://files.s3.amazonaws.com.cn']],
])('files go to %s in %s', (endpoint, region, origins) =>
  expect(storeOrigins('files', region, endpoint)).toEqual(origins),
)
