import { expect, it } from 'vitest'
import { growingPause } from '#functions/storage-api/jobs/await-job.ts'

/** After how many milliseconds a wait looks at the job. */
const looksWithin = (limitMs: number): number[] => {
  const looks: number[] = []
  for (let waitedMs = 0; waitedMs < limitMs; looks.push(waitedMs)) waitedMs += growingPause(waitedMs)
  return looks
}

it('a wait for a job ends at most an eighth of its time after the job, or 50 ms, and never a second', () => {
  let before = 0
  for (const look of looksWithin(25_000)) {
    expect(look - before).toBeLessThanOrEqual(Math.min(1_000, Math.max(50, before / 8 + 1)))
    before = look
  }
})

it('the looks become fewer', () => {
  expect(looksWithin(1_000)).toHaveLength(16)
  expect(looksWithin(25_000).filter(look => look > 10_000 && look <= 20_000)).toHaveLength(10)
})
