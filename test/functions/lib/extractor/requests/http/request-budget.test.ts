import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRequestBudget, type SentLately } from '#lib/extractor/requests/http/rate-limit.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

const silent = { debug: () => {}, info: () => {}, warning: () => {} }

const budgetOf = (
  time: VirtualTime,
  settings: { requests: number; seconds: number },
  { sent = [], waits = [] }: { sent?: SentLately; waits?: number[] } = {},
) =>
  createRequestBudget({
    settings,
    sent,
    log: silent,
    now: time.now,
    wait: time.wait,
    onWait: seconds => waits.push(seconds),
  })

const mostIn = (sentAt: readonly number[], seconds: number): number =>
  Math.max(...sentAt.map(start => sentAt.filter(at => at >= start && at < start + seconds).length))

describe('a budget of requests', () => {
  it('is kept in any span of time, however fast jobs send, and over all legs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), fc.double({ min: 0, max: 5, noNaN: true })), {
          minLength: 1,
          maxLength: 4,
        }),
        async (requests, seconds, jobs) => {
          const time = virtualTime()
          const sentAt: number[] = []
          let sent: SentLately = []
          for (let leg = 0; leg < 2; leg++) {
            const budget = budgetOf(time, { requests, seconds }, { sent })
            const send = async (count: number, pause: number): Promise<void> => {
              for (let done = 0; done < count; done++) {
                await budget.take()
                sentAt.push(time.now())
                await time.wait(pause)
              }
            }
            await time.run(jobs.map(([count, pause]) => send(count, pause)))
            sent = JSON.parse(JSON.stringify(budget.save()))
          }
          expect(sentAt).toHaveLength(2 * jobs.reduce((sum, [count]) => sum + count, 0))
          expect(mostIn(sentAt, seconds - 0.001)).toBeLessThanOrEqual(requests)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('lets all of it through at once, then waits for a hundredth more than its time', async () => {
    const time = virtualTime()
    const waits: number[] = []
    const budget = budgetOf(time, { requests: 10, seconds: 60 }, { waits })
    for (let request = 0; request < 10; request++) await budget.take()
    expect([time.now(), waits]).toEqual([1_700_000_000, []])
    await time.run([budget.take(), budget.take()])
    expect(time.now()).toBeCloseTo(1_700_000_060.6)
    expect(waits).toEqual([expect.closeTo(60.6)])
  })

  it('is not closed by a clock that was ahead', async () => {
    const time = virtualTime()
    const budget = budgetOf(time, { requests: 1, seconds: 60 }, { sent: [[time.now() + 86_400, 1]] })
    await time.run([budget.take()])
    expect(time.now()).toBe(1_700_000_000)
  })
})
