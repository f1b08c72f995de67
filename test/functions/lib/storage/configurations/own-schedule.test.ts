import { S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { readConfigurationSchedule } from '#lib/schedules/configuration-schedule.ts'
import {
  newConfiguration,
  restoreConfiguration,
  rollbackConfiguration,
  trashConfiguration,
  updateConfiguration,
} from '#lib/storage/configurations/change-configuration.ts'
import type { Configuration, ConfigurationPlace } from '#lib/storage/configurations/configuration.ts'
import type { ConfigurationStore } from '#lib/storage/configurations/configuration-store.ts'
import { createDocumentFiles } from '#lib/storage/db/document-files.ts'
import { createScheduleStore } from '#lib/storage/schedules/schedule-store.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'
import { runs } from '#support/thorough.ts'
import { changed, configurationsOn } from './steps.ts'

// Nothing here is too long for an item.
const documents = createDocumentFiles(new S3Client({ region: 'us-east-1' }), 'none')
const storeOn = (items: ItemTable) => configurationsOn(items, documents)

const text = (hasSchedule: boolean) => JSON.stringify(hasSchedule ? { schedule: 'rate(1 hour)' } : {})
const place = (configId: string, branchId = 1): ConfigurationPlace => ({
  branchId,
  componentId: 'c',
  configId,
})

let made = 0
const insert = (store: ConfigurationStore, at: ConfigurationPlace, hasSchedule: boolean) =>
  store.insert(
    at,
    newConfiguration(at.configId, String(++made), { configuration: text(hasSchedule) }, changed()),
  )
const set = (hasSchedule: boolean) => (current: Configuration) =>
  updateConfiguration(current, { configuration: text(hasSchedule) }, changed())

/** The configurations that run by a clock. */
const look = async (items: ItemTable) => {
  const found = await createScheduleStore(items).list()
  return found.map(({ saidBy }) => saidBy.configId).toSorted()
}
/** By looking at all of them. */
const scheduled = async (store: ConfigurationStore) => {
  const all = await store.list(1, 'c')
  return all
    .filter(({ current: { content } }) => !content.isDeleted && content.configuration === text(true))
    .map(({ id }) => id)
}

describe('a schedule of a configuration', () => {
  it('follows the trash, restored versions and removal for good', async () => {
    const items = createMemoryItemTable()
    const store = storeOn(items)
    const at = place('a')
    await insert(store, at, true)
    const first = (await store.get(at))?.current
    if (!first) throw new Error('There is no configuration')
    const seen = async (change: (current: Configuration) => Configuration) => {
      await store.change(at, change)
      return look(items)
    }
    expect(await seen(set(false))).toEqual([])
    expect(await seen(current => rollbackConfiguration(current, first, changed()))).toEqual(['a'])
    expect(await seen(current => trashConfiguration(current, changed()))).toEqual([])
    expect(await seen(current => restoreConfiguration(current, changed()))).toEqual(['a'])
    await store.change(at, current => trashConfiguration(current, changed()))
    await store.purge(at)
    expect(await look(items)).toEqual([])
    await insert(store, at, true)
    expect(await look(items)).toEqual(['a'])
  })

  it('is none in a development branch, and is switched off with its configuration', async () => {
    const items = createMemoryItemTable()
    const store = storeOn(items)
    await insert(store, place('a', 77), true)
    expect(await look(items)).toEqual([])
    await insert(store, place('b'), true)
    await store.change(place('b'), current => updateConfiguration(current, { isDisabled: true }, changed()))
    expect(await createScheduleStore(items).list()).toMatchObject([
      { settings: '{"expression":"rate(1 hour)","isEnabled":false}', version: 2 },
    ])
  })

  it('is kept by its first characters where it is longer than any that can be read', async () => {
    const items = createMemoryItemTable()
    const configuration = JSON.stringify({ schedule: { expression: 'x'.repeat(3_000) } })
    await storeOn(items).insert(place('a'), newConfiguration('a', '1', { configuration }, changed()))
    const [{ settings = '' } = {}] = await createScheduleStore(items).list()
    expect(settings.length).toBeLessThan(200)
    expect(() => readConfigurationSchedule(JSON.parse(settings), '')).toThrow('cannot be read')
  })
})

describe('after writers that die and looks in between', () => {
  const action = fc.record({
    configId: fc.constantFrom('a', 'b'),
    kind: fc.constantFrom('insert', 'set', 'unset', 'trash', 'restore', 'purge', 'look', 'look'),
    /** The write at which the process dies, if it comes so far, and whether the write still succeeds. */
    diesAt: fc.option(fc.nat(3)),
    arrives: fc.boolean(),
  })
  type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

  const dying = (items: ItemTable, { diesAt, arrives }: Action): ItemTable => {
    let writes = 0
    const die =
      <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        const isLast = writes++ === diesAt
        if (isLast && arrives) await write(...args)
        if (diesAt !== null && writes > diesAt) throw new Error('died')
        return write(...args)
      }
    return { ...items, put: die(items.put), delete: die(items.delete), transact: die(items.transact) }
  }

  const act = async (items: ItemTable, wanted: Action): Promise<void> => {
    const store = storeOn(dying(items, wanted))
    const at = place(wanted.configId)
    const change = (step: (current: Configuration) => Configuration) => store.change(at, step)
    const isTrashed = ({ current }: Configuration) => current.content.isDeleted
    const acts: Record<Action['kind'], () => Promise<unknown>> = {
      insert: () => insert(store, at, wanted.arrives),
      set: () => change(set(true)),
      unset: () => change(set(false)),
      trash: () => change(current => (isTrashed(current) ? current : trashConfiguration(current, changed()))),
      restore: () =>
        change(current => (isTrashed(current) ? restoreConfiguration(current, changed()) : current)),
      purge: async () => {
        const found = await store.get(at)
        if (found && isTrashed(found)) await store.purge(at)
      },
      look: () => look(items),
    }
    await acts[wanted.kind]().catch((error: unknown) => {
      if (!(error instanceof Error && error.message === 'died')) throw error
    })
  }

  it('the next look finds all that have a schedule, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(action, { maxLength: 5 }), { maxLength: 6 }), async rounds => {
        const items = createMemoryItemTable()
        for (const together of rounds) {
          await Promise.all(together.map(wanted => act(items, wanted)))
          const store = storeOn(items)
          expect(await look(items)).toEqual(await scheduled(store))
        }
      }),
      { numRuns: runs(90) },
    )
  })
})
