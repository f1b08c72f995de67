import { expect, it } from 'vitest'
import { backoff } from '#lib/pause-randomly.ts'

it('doubles from the first wait to the longest', () => {
  const waits = [0, 1, 2, 3, 4, 2_000].map(failures => backoff(failures, { first: 100, longest: 1_000 }))
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000])
})
