import { expect, it } from 'vitest'
import { cutValue } from '#lib/extractor/run/job-plan.ts'
import { isAhead, isNone } from '#lib/extractor/values/select/ordering.ts'
import type { Json } from '#lib/json/json-value.ts'

const now = Date.parse('2026-03-03T00:00:00Z') / 1000

it.each<['date' | 'text' | 'number' | undefined, Json, boolean]>([
  ['date', '9999-12-31', true],
  ['date', '2026-03-03T00:00:01Z', true],
  ['date', '2026-03-03T00:00:00Z', false],
  ['date', '2026-03-03T13:00:00', false], // it may be the time of a place that is ahead
  ['date', '2026-03-03T15:00:00', true],
  ['date', 4_102_444_800, true],
  ['date', '4102444800000', true],
  ['date', 'no date', false],
  [undefined, '2099-01-01', true],
  ['text', '2099-01-01 10:00', true],
  ['text', 'z-2099', false],
  [undefined, 4_102_444_800, false],
  ['number', '4102444800', false],
])('as %s, %j lies beyond now: %j', (kind, value, isBeyond) => {
  expect(isAhead(kind, value, now)).toBe(isBeyond)
})

it.each<[Json, boolean]>([
  [null, true],
  ['', true],
  ['0000-00-00 00:00:00', true],
  [0, false],
  ['2026-01-01', false],
])('%j is no value: %j', (value, is) => {
  expect(isNone(value)).toBe(is)
})

it.each<[string, Json, boolean]>([
  ['langs/{x}', 'C#', true],
  ['langs/{x}', 'a?b', true],
  ['langs/{x}', 'a&b+c', false],
  ['langs?q={x}', 'a&b', true],
  ['langs?q={x}', 'a+b', true],
  ['langs?q={x}', 'a?b', false],
  ['{x}', 'https://a.example/x?y#z', false],
  ['langs/{y}', 'C#', false],
  ['langs/{x}', 'C%23', false],
])('%s with %j is cut: %j', (endpoint, value, is) => {
  expect(cutValue(endpoint, [{ name: 'x', path: 'x', value }]) !== undefined).toBe(is)
})
