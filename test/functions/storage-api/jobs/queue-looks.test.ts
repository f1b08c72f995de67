import { expect, it } from 'vitest'
import { createQueueLooks } from '#functions/storage-api/jobs/queue-looks.ts'

const looksAt = (times: number[]): boolean[] => {
  let now = 0
  const isLookDue = createQueueLooks(() => new Date(now))
  return times.map(seconds => {
    now = seconds * 1000
    return isLookDue('1/in.c-main.orders')
  })
}

it('a queue is looked after once in 30 seconds', () => {
  expect(looksAt([0, 1, 29, 30, 31, 60])).toEqual([true, false, false, true, false, true])
})

it('and again when the clock was set back', () => {
  expect(looksAt([3_600, 10, 11, 40])).toEqual([true, true, false, true])
})

it('each queue for itself', () => {
  const isLookDue = createQueueLooks(() => new Date(0))
  expect(['a', 'b', 'a'].map(isLookDue)).toEqual([true, true, false])
})
