import { beforeEach, describe, expect, it } from 'vitest'
import { createItemTable } from '#lib/items/item-table.ts'
import { backoff } from '#lib/pause-randomly.ts'
import { conflictingItems } from '../../support/conflicting-items.ts'
import { createMemoryItems } from '../../support/memory-item-table.ts'
import { randomFrom } from '../../support/random.ts'
import { simulateImports } from '../../support/simulated-imports.ts'
import { createSimulatedTime } from '../../support/simulated-time.ts'

/** What is dropped at once. */
const FILES = 2_000
/** A request of the gateway ends then. */
const LONGEST_SECONDS = 28

let time = createSimulatedTime(new Date())
let random = randomFrom(1)

/** The pauses between two tries take simulated time, too. */
const pause = (failures: number, limits: Parameters<typeof backoff>[1]) =>
  time.sleep(random() * backoff(failures, limits))

beforeEach(() => {
  time = createSimulatedTime(new Date('2026-11-22T00:00:00Z'))
  random = randomFrom(1)
})

const cloud = () => conflictingItems(createMemoryItems(), { sleep: time.sleep, now: time.now, random })

describe('in a model of the conflicts of DynamoDB', () => {
  it.each([1, 40])(
    `${FILES} files that are dropped at once, into tables: %i`,
    async tables => {
      const { items, model } = cloud()
      const figures = await simulateImports(time, {
        files: FILES,
        tables,
        filesASecond: Number.POSITIVE_INFINITY,
        // A read of several would be one sleep of several that are at work.
        items: () => ({ ...createItemTable(items, pause), get: items.get }),
        model,
      })
      const { minutes, slowestAcceptance } = figures
      console.log(JSON.stringify({ tables, files: FILES, minutes, slowestAcceptance, ...model }))
      expect(figures.statuses).toEqual({ success: FILES })
      expect(figures.rows).toBe(FILES + tables)
      expect(slowestAcceptance).toBeLessThan(LONGEST_SECONDS)
      expect(minutes).toBeLessThan(15)
      expect(figures.logged).toEqual([])
    },
    900_000,
  )

  it('a queue in one item would refuse many of 2,000: that is what the model is for', async () => {
    const { items, model } = cloud()
    model.isOn = true
    const table = createItemTable(items, pause)
    let refused = 0
    const append = (id: number) =>
      table
        .transact([
          { action: 'put', key: { pk: 'JOBS', sk: String(id) }, item: {}, when: 'absent' },
          { action: 'update', key: { pk: 'QUEUE', sk: 'LIST' }, change: { add: { length: 1 } } },
        ])
        .catch(() => {
          refused += 1
        })
    for (let id = 0; id < 2_000; id++) time.spawn(() => append(id))
    await time.run()
    expect(refused).toBeGreaterThan(1_000)
  })
})
