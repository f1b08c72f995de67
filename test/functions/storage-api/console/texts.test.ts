import { describe, expect, it } from 'vitest'
import { bytes, count, duration } from '#functions/storage-api/console/format.ts'
import { storeOrigins } from '#functions/storage-api/console/store-origins.ts'

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
