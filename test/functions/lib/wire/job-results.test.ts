import { expect, it } from 'vitest'
import { rowsText } from '#lib/wire/job-results.ts'

it.each([
  [1, 0, '1 row'],
  [3, 1, '3 rows, of which 1 was replaced by a later one with the same key'],
  [1200, 1000, '1,200 rows, of which 1,000 were replaced by a later one with the same key'],
])('%i rows, %i of them replaced, are told as they are', (rows, replaced, text) => {
  expect(rowsText(rows, replaced)).toBe(text)
})
