import { describe, expect, it } from 'vitest'
import { createRateLimitGate } from '#lib/extractor/requests/http/rate-limit.ts'
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

describe('the gate of rate limits', () => {
  it('keeps all back from an answer that leaves nothing until its limit opens, and says so once', async () => {
    const time = virtualTime()
    const { gate, waits, said } = gateOf(time)
    await gate.enter(origin)
    gate.learn(origin, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' })
    gate.learn(origin, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' })
    await time.run([gate.enter(origin), gate.enter(origin), gate.enter('https://other.test')])
    expect(time.now()).toBe(1_700_000_030)
    expect(waits).toEqual([30])
    expect(said).toEqual([expect.stringMatching(/takes no more requests for now: waiting 30\.0 s/)])
  })

  it('keeps nobody back while requests are left', async () => {
    const time = virtualTime()
    const { gate, waits } = gateOf(time)
    await gate.enter(origin)
    gate.learn(origin, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '30' })
    await gate.enter(origin)
    expect([time.now(), waits]).toEqual([1_700_000_000, []])
  })

  it('does nothing where the server says nothing of limits', async () => {
    const time = virtualTime()
    const { gate, waits } = gateOf(time)
    for (let request = 0; request < 5; request++) {
      await gate.enter(origin)
      gate.learn(origin, {})
    }
    expect([time.now(), waits]).toEqual([1_700_000_000, []])
  })

  it('keeps others back while the server refuses one, also against what answers under way then say', async () => {
    const time = virtualTime()
    const { gate } = gateOf(time)
    await gate.enter(origin)
    gate.close(origin, 20)
    gate.learn(origin, { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '9' })
    await time.run([gate.enter(origin)])
    expect(time.now()).toBe(1_700_000_020)
  })

  it('sends the request when the limit opens later than is worth waiting for', async () => {
    const time = virtualTime()
    const { gate, waits } = gateOf(time, 100)
    await gate.enter(origin)
    gate.learn(origin, { 'ratelimit-remaining': '0', 'ratelimit-reset': '101' })
    await gate.enter(origin)
    expect(waits).toEqual([])
  })

  it('stops waiting long for a server that always says that nothing is left', async () => {
    const time = virtualTime()
    const { gate, waits, said } = gateOf(time)
    const nothing = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '600' }
    const ask = async (): Promise<void> => {
      await gate.enter(origin)
      gate.learn(origin, nothing)
    }
    for (let request = 0; request < 5; request++) await time.run([ask()])
    expect(waits).toEqual([600])
    expect(said.at(-1)).toContain('Only waits of up to 60 s')
  })
})
