import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WriteQueue } from '#lib/extractor/runner/write-queue.ts'

it('wakes for what another thread began to write before it was queued', async () => {
  let wakes = 0
  const queue = new WriteQueue(() => {
    wakes++
  })
  const done = Promise.withResolvers<void>()
  let waitsFor: Promise<void> | undefined = done.promise
  const written: string[] = []
  queue.push({
    get waitsFor() {
      return waitsFor
    },
    run: () => written.push('page'),
  })
  expect(queue.step()).toBe(false)
  waitsFor = undefined
  done.resolve()
  await setImmediate()
  expect(wakes).toBe(1)
  expect(queue.step()).toBe(true)
  expect(written).toEqual(['page'])
})
