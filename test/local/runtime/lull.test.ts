import { expect, it } from 'vitest'
import { Lull } from '#local/runtime/lambda/lull.ts'

const HOUR_MS = 3_600_000
const patient = { longestMs: HOUR_MS, standstillMs: HOUR_MS }

const isSettled = async (promise: Promise<void>): Promise<boolean> => {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise(resolve => setImmediate(resolve))
  return settled
}

it('heavy work begins when the last light invocation that waited has a thread', async () => {
  const lull = new Lull(patient)
  const [first, second] = [lull.lightWaits(), lull.lightWaits()]
  const heavy = lull.wait()
  first()
  expect(await isSettled(heavy)).toBe(false)
  second()
  await heavy
  expect(await isSettled(lull.wait())).toBe(true)
})

it('heavy work waits again for light work that comes later', async () => {
  const lull = new Lull(patient)
  lull.lightWaits()()
  const begins = lull.lightWaits()
  const heavy = lull.wait()
  expect(await isSettled(heavy)).toBe(false)
  begins()
  await heavy
})

it('heavy work begins in the end, however much light work waits', async () => {
  const lull = new Lull({ ...patient, longestMs: 1 })
  lull.lightWaits()
  await lull.wait()
})

it('heavy work does not wait for light work of which none begins', async () => {
  const lull = new Lull({ ...patient, standstillMs: 1 })
  lull.lightWaits()
  await lull.wait()
})

it('nobody waits for a lull once the machine stops', async () => {
  const lull = new Lull(patient)
  lull.lightWaits()
  const heavy = lull.wait()
  lull.close()
  await heavy
  await lull.wait()
})
