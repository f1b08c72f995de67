import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRateLimitGate, type RateLimitGate } from '#lib/extractor/requests/http/rate-limit-gate.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

const origin = 'https://api.test'

const gateOf = (time: VirtualTime, longestSeconds = 3600) => {
  const said: string[] = []
  const waits: number[] = []
  const note = (message: string): void => {
    said.push(message)
  }
  const gate = createRateLimitGate({
    longestSeconds,
    log: { debug: note, info: note, warning: note },
    now: time.now,
    wait: time.wait,
    onWait: seconds => waits.push(seconds),
  })
  return { gate, said, waits }
}

interface Served {
  sentAt: number[]
  refused: number
}

/** A server that takes `quota` requests in each window, as many clients at once ask it. */
const serve = async (
  gate: RateLimitGate,
  time: VirtualTime,
  { quota, window, clients, requests, answerSeconds }: Record<string, number> & { quota: number },
): Promise<Served> => {
  const begun = time.now()
  const served: Served = { sentAt: [], refused: 0 }
  let windowOf = -1
  let taken = 0
  let left = requests ?? 0
  const answer = (number: number) => {
    const current = Math.floor((time.now() - begun) / (window ?? 1))
    if (current !== windowOf) taken = 0
    windowOf = current
    taken++
    served.sentAt.push(time.now() - begun)
    const reset = (current + 1) * (window ?? 1) - (time.now() - begun)
    if (taken > quota) served.refused++
    return {
      wait: (answerSeconds ?? 0) * ((number % 3) + 1),
      headers: {
        'x-ratelimit-remaining': String(Math.max(0, quota - taken)),
        'x-ratelimit-reset': String(reset),
      },
    }
  }
  const client = async (): Promise<void> => {
    while (left > 0) {
      const number = left--
      const entered = await gate.enter(origin)
      const { wait, headers } = answer(number)
      await time.wait(wait)
      gate.leave(origin, entered, headers)
    }
  }
  // The first request tells what the server says of limits
  const first = async (): Promise<void> => {
    left--
    const entered = await gate.enter(origin)
    gate.leave(origin, entered, answer(0).headers)
    await Promise.all(Array.from({ length: clients ?? 1 }, client))
  }
  await time.run([first()])
  return served
}

describe('the gate of rate limits', () => {
  it('lets no request through that the server would refuse, however many ask at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          quota: fc.integer({ min: 1, max: 12 }),
          window: fc.integer({ min: 5, max: 60 }),
          clients: fc.integer({ min: 1, max: 8 }),
          requests: fc.integer({ min: 1, max: 40 }),
          answerSeconds: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        async settings => {
          const time = virtualTime()
          const { gate } = gateOf(time)
          const served = await serve(gate, time, settings)
          expect(served.sentAt).toHaveLength(settings.requests)
          expect(served.refused).toBe(0)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('uses what a window has left, and waits for the next one once', async () => {
    const time = virtualTime()
    const { gate, waits, said } = gateOf(time)
    const settings = { quota: 5, window: 30, clients: 4, requests: 10, answerSeconds: 0.1 }
    const { sentAt } = await serve(gate, time, settings)
    expect(sentAt.filter(at => at < 30)).toHaveLength(5)
    expect(sentAt.filter(at => at >= 30)).toHaveLength(5)
    expect(waits).toHaveLength(1)
    expect(said).toEqual([expect.stringMatching(/takes no more requests for now: waiting 30\.0 s/)])
  })

  it('does nothing where the server says nothing of limits', async () => {
    const time = virtualTime()
    const { gate, waits } = gateOf(time)
    for (let request = 0; request < 5; request++) gate.leave(origin, await gate.enter(origin), {})
    expect([time.now(), waits]).toEqual([1_700_000_000, []])
  })

  it('keeps others back while the server refuses one, also against what answers under way then say', async () => {
    const time = virtualTime()
    const { gate } = gateOf(time)
    const early = await gate.enter(origin)
    gate.close(origin, 20)
    gate.leave(origin, early, { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '9' })
    await time.run([gate.enter(origin)])
    expect(time.now()).toBe(1_700_000_020)
  })

  it('sends the request when the limit opens later than is worth waiting for', async () => {
    const time = virtualTime()
    const { gate, waits } = gateOf(time, 100)
    gate.leave(origin, await gate.enter(origin), { ratelimit: '"day";r=0;t=101' })
    await gate.enter(origin)
    expect(waits).toEqual([])
  })

  it('stops waiting long for a server that always says that nothing is left', async () => {
    const time = virtualTime()
    const { gate, waits, said } = gateOf(time)
    const nothing = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '600' }
    const ask = async (): Promise<void> => gate.leave(origin, await gate.enter(origin), nothing)
    for (let request = 0; request < 5; request++) await time.run([ask()])
    expect(waits).toEqual([600])
    expect(said.at(-1)).toContain('Only waits of up to 60 s')
  })

  it('lets the others go when the request that tries an open limit has no answer', async () => {
    const time = virtualTime()
    const { gate } = gateOf(time)
    gate.leave(origin, await gate.enter(origin), { ratelimit: '"x";r=0;t=5' })
    const ask = async (): Promise<void> => gate.leave(origin, await gate.enter(origin), undefined)
    await time.run([ask(), ask(), ask()])
    expect(time.now()).toBe(1_700_000_005)
  })
})
