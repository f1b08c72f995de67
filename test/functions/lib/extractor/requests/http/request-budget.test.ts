import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BudgetStore,
  createRequestBudget,
  memoryBudget,
} from '#lib/extractor/requests/http/request-budget.ts'
import { createRequestBudgets } from '#lib/extractor/run/run-requests.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

const silent = { debug: () => {}, info: () => {}, warning: () => {} }

/** One of several runs that share a store, and when it sent its requests. */
const run = (
  time: VirtualTime,
  store: BudgetStore,
  settings: { requests: number; seconds: number },
  sentAt: number[],
) => {
  const budget = createRequestBudget({
    settings,
    store,
    log: silent,
    now: time.now,
    wait: time.wait,
    onWait: () => {},
    random: () => 0.5,
  })
  return async (count: number, pause: number): Promise<void> => {
    for (let sent = 0; sent < count; sent++) {
      await budget.take()
      sentAt.push(time.now())
      await time.wait(pause)
    }
  }
}

const mostIn = (sentAt: readonly number[], seconds: number): number =>
  Math.max(...sentAt.map(start => sentAt.filter(at => at >= start && at < start + seconds).length))

describe('a budget of requests', () => {
  it('is kept in any span of time, however many runs share it and however fast they send', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), fc.double({ min: 0, max: 5, noNaN: true })), {
          minLength: 1,
          maxLength: 4,
        }),
        async (requests, seconds, runs) => {
          const time = virtualTime()
          const store = memoryBudget()
          const sentAt: number[] = []
          const settings = { requests, seconds }
          await time.run(runs.map(([count, pause]) => run(time, store, settings, sentAt)(count, pause)))
          expect(sentAt).toHaveLength(runs.reduce((sum, [count]) => sum + count, 0))
          expect(mostIn(sentAt, seconds - 0.001)).toBeLessThanOrEqual(requests)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('gives back what a run reserved and never sent, after its time', async () => {
    const time = virtualTime()
    const store = memoryBudget()
    const settings = { requests: 100, seconds: 60 }
    const sentAt: number[] = []
    // Each reserves a block of ten, and sends one
    const died = Array.from({ length: 10 }, () => run(time, store, settings, sentAt)(1, 0))
    await time.run(died)
    const begun = time.now()
    await time.run([run(time, store, settings, sentAt)(1, 0)])
    expect(time.now() - begun).toBeLessThanOrEqual(66)
  })

  it('starts anew from a record that it cannot read, and from one of a clock that was ahead', async () => {
    const time = virtualTime()
    const settings = { requests: 10, seconds: 60 }
    const damaged = memoryBudget()
    await damaged.write({ version: 7 }, undefined)
    await time.run([run(time, damaged, settings, [])(1, 0)])
    const ahead = memoryBudget()
    await ahead.write([{ at: time.now() + 86_400, requests: 10 }], undefined)
    const begun = time.now()
    await time.run([run(time, ahead, settings, [])(1, 0)])
    expect(time.now() - begun).toBeLessThanOrEqual(66)
  })

  it('is named by the address and the account, never by what a person could read', () => {
    const named: string[] = []
    const texts: string[] = []
    const shared = {
      digest: (text: string) => `name${texts.push(text)}`,
      store: (name: string) => {
        named.push(name)
        return memoryBudget()
      },
    }
    const base = { log: silent, now: () => 0, wait: async () => {}, onWait: () => {}, shared }
    const of = (secrets: string[], account?: string) =>
      createRequestBudgets({
        ...base,
        secrets,
        settings: { requests: 1, seconds: 1, ...(account === undefined ? {} : { account }) },
      })
    const budgets = of(['s2', 's1', 's1'])
    expect(budgets('https://a')).toBe(budgets('https://a'))
    of(['s1', 's2'])('https://a')
    of(['s1'], 'shop')('https://a')
    of(['s2'], 'shop')('https://b')
    expect(named).toEqual(['name1', 'name2', 'name3', 'name4'])
    expect(texts[0]).toBe(texts[1])
    expect(new Set(texts).size).toBe(3)
  })
})
