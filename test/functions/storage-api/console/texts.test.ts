import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstRecords } from '#functions/storage-api/console/client/read-head.ts'
import { bytes, count, duration } from '#functions/storage-api/console/format.ts'
import { hideSealed, showSealed } from '#functions/storage-api/console/hide-sealed.ts'
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

it('a sealed secret is shown by a short name, and comes back by it', () => {
  const stored = {
    '#key': 'KBC::ProjectSecure::c2VjcmV0',
    list: [{ '#other': 'KBC::ProjectSecure::b3RoZXI=' }],
  }
  const shown = hideSealed(stored)
  expect(JSON.stringify(shown)).not.toContain('KBC::')
  expect(showSealed(shown, stored)).toEqual(stored)
  expect(showSealed({ '#key': 'new', list: [] }, stored)).toEqual({ '#key': 'new', list: [] })
  expect(() => showSealed({ '#key': '(sealed 000000000000)' }, stored)).toThrow(/enter its value anew/)
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
