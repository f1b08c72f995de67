import { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { newConfiguration, updateConfiguration } from '#lib/storage/configurations/change-configuration.ts'
import { addRow, setRowState, updateRow } from '#lib/storage/configurations/change-rows.ts'
import type { Configuration, ConfigurationPlace } from '#lib/storage/configurations/configuration.ts'
import { createConfigurationStore } from '#lib/storage/configurations/configuration-store.ts'
import { createDocumentFiles } from '#lib/storage/db/document-files.ts'
import { startItemTable } from '#support/start-item-table.ts'
import { untilEnd } from '#support/until-end.ts'
import { changed } from './steps.ts'

const database = await untilEnd(startItemTable())

// Nothing here is too long for an item.
const documents = createDocumentFiles(new S3Client({ region: 'us-east-1' }), 'none')

const newStore = (wrap: (items: ItemTable) => ItemTable = items => items) =>
  createConfigurationStore(wrap(database.items), documents)

let made = 0
const create = async (): Promise<ConfigurationPlace> => {
  const place = { branchId: 1, componentId: 'c', configId: `group-${++made}` }
  const first = newConfiguration(place.configId, `internal-${place.configId}`, { name: 'v1' }, changed())
  await newStore().insert(place, first)
  return place
}

const rename = (name: string) => {
  const change = changed()
  return (current: Configuration) => updateConfiguration(current, { name }, change)
}
const writeRow = (text: string) => {
  const change = changed()
  const settings = { configuration: JSON.stringify({ text }) }
  return (current: Configuration) =>
    current.rows.length === 0
      ? addRow(current, 'r', settings, change)
      : updateRow(current, 'r', settings, change)
}

/** Counts the writes that are sent, and fails from the n-th on, which is stored or not. */
const dyingAt = (limit: number, isStored: boolean) => {
  let writes = 0
  const unlessDead = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    writes += 1
    if (writes > limit || (writes === limit && !isStored)) throw new Error('the process is gone')
    const result = await write()
    if (writes >= limit) throw new Error('the process is gone')
    return result
  }
  return newStore(items => ({
    ...items,
    put: (...parameters) => unlessDead(() => items.put(...parameters)),
    putAll: (...parameters) => unlessDead(() => items.putAll(...parameters)),
  }))
}

/** All that a new process sees of it. */
const everything = async (place: ConfigurationPlace) => {
  const store = newStore()
  const configuration = await store.get(place)
  if (!configuration) throw new Error('There is no configuration')
  const names: (string | undefined)[] = []
  const rowTexts: (string | undefined)[] = []
  for (let number = 1; number <= configuration.current.version; number++) {
    const version = await store.version(configuration, number)
    names.push(version?.content.name)
    rowTexts.push(version?.content.rows[0]?.configuration)
  }
  const listed = [configuration.current.version]
  for await (const { version } of store.history.list(configuration.internalId))
    if (version < configuration.current.version) listed.push(version)
  return { configuration, names, rowTexts, listed: listed.toReversed() }
}

describe('changes that wait at the same time', () => {
  it('are one write of the head, and versions one after the other', async () => {
    const place = await create()
    let heads = 0
    const store = newStore(items => ({
      ...items,
      put: (key, attributes, when) => {
        if ('revision' in attributes) heads += 1
        return items.put(key, attributes, when)
      },
    }))
    const results = await Promise.all(
      [2, 3, 4, 5, 6].map(number => store.change(place, rename(`v${number}`))),
    )
    expect(results.map(result => typeof result === 'object' && result.current.content.name)).toEqual([
      'v2',
      'v3',
      'v4',
      'v5',
      'v6',
    ])
    // The first did not wait; the four others did, for it.
    expect(heads).toBe(2)
    const { names, listed } = await everything(place)
    expect(names).toEqual(['v1', 'v2', 'v3', 'v4', 'v5', 'v6'])
    expect(listed).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('keep every version of a row that several of them changed, and the last state', async () => {
    const place = await create()
    const store = newStore()
    await Promise.all([
      store.change(place, rename('v2')),
      store.change(place, writeRow('a')),
      store.change(place, writeRow('b')),
      store.change(place, current => setRowState(current, 'r', '{"seen":1}')),
      store.change(place, writeRow('c')),
      store.change(place, rename('v6')),
    ])
    const { configuration, rowTexts } = await everything(place)
    expect(rowTexts.map(text => text && JSON.parse(text).text)).toEqual([
      undefined,
      undefined,
      'a',
      'b',
      'c',
      'c',
    ])
    expect(configuration.rows).toMatchObject([{ id: 'r', version: 3, state: '{"seen":1}' }])
    const row = await newStore().history.getRow(configuration.internalId, 'r', 2)
    expect(row && JSON.parse(row.configuration).text).toBe('b')
  })

  it('are refused one by one: the others are stored', async () => {
    const place = await create()
    const store = newStore()
    const refuse = () => {
      throw new Error('refused')
    }
    const results = await Promise.allSettled([
      store.change(place, rename('v2')),
      store.change(place, rename('v3')),
      store.change(place, refuse),
      store.change(place, rename('v4')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect((await everything(place)).names).toEqual(['v1', 'v2', 'v3', 'v4'])
  })

  it('that a death cuts off at any write are all there or none, whole for the next reader and writer', async () => {
    let isOver = false
    for (let limit = 1; !isOver; limit++)
      for (const isStored of [true, false]) {
        const place = await create()
        const store = dyingAt(limit, isStored)
        const steps = [rename('v2'), rename('v3'), writeRow('a'), writeRow('b'), rename('v6')]
        const results = await Promise.allSettled(steps.map(step => store.change(place, step)))
        isOver = results.every(({ status }) => status === 'fulfilled')

        const found = await everything(place)
        const { version } = found.configuration.current
        const acknowledged = results.filter(({ status }) => status === 'fulfilled').length
        expect(version).toBeGreaterThanOrEqual(1 + acknowledged)
        // The first was written alone, the other four together.
        expect([1, 2, 6]).toContain(version)
        expect(found.names).toEqual(['v1', 'v2', 'v3', 'v3', 'v3', 'v6'].slice(0, version))
        expect(found.listed).toEqual([1, 2, 3, 4, 5, 6].slice(0, version))
        await newStore().change(place, rename('after'))
        const after = await everything(place)
        expect(after.names).toEqual([...found.names, 'after'])
        expect(after.rowTexts.slice(0, version)).toEqual(found.rowTexts)
      }
  }, 120_000)
})
