import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tellNowAndThen } from '#lib/tell-now-and-then.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('tells at most every so often, and nothing of what is soon over', async () => {
  const told: number[] = []
  const rows = tellNowAndThen(async (word: number) => void told.push(word), 1_000)
  for (let word = 0; word < 50; word++) {
    rows.say(word)
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(told).toEqual([10, 20, 30, 40])
})

it('tells one word at a time, and waits for the last', async () => {
  const told: string[] = []
  const words = tellNowAndThen(async (word: string) => {
    await new Promise(resolve => setTimeout(resolve, 5_000))
    told.push(word)
  }, 0)
  words.say('first')
  words.say('while the first is being sent')
  expect(told).toEqual([])
  const settled = words.settled()
  await vi.advanceTimersByTimeAsync(5_000)
  await settled
  expect(told).toEqual(['first'])
  words.say('second')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toEqual(['first', 'second'])
})
