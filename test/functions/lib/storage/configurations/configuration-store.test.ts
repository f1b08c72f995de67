import { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { createItemTable, type ItemTable } from '#lib/items/item-table.ts'
import {
  newConfiguration,
  restoreConfiguration,
  trashConfiguration,
  updateConfiguration,
} from '#lib/storage/configurations/change-configuration.ts'
import type { Change, Configuration } from '#lib/storage/configurations/configuration.ts'
import { createDocumentFiles } from '#lib/storage/db/document-files.ts'
import { disturbedItems } from '#support/disturbed-items.ts'
import { randomFrom } from '#support/random.ts'
import { startItemTable } from '#support/start-item-table.ts'
import { untilEnd } from '#support/until-end.ts'
import { configurationsOn } from './steps.ts'

const database = await untilEnd(startItemTable())

// Nothing here is too long for an item.
const documents = createDocumentFiles(new S3Client({ region: 'us-east-1' }), 'none')

/** A store of one process: it shares nothing with others. */
const newStore = (wrap: (items: ItemTable) => ItemTable = items => items) =>
  configurationsOn(wrap(database.items), documents)

let made = 0
const changeBy = (description: string): Change => ({
  at: '2026-07-16T10:00:00.000Z',
  token: { id: '1', description: 'test' },
  description,
  identifier: `id-${++made}`,
})

const create = async () => {
  const place = { branchId: 1, componentId: 'c', configId: `config-${++made}` }
  await newStore().insert(
    place,
    newConfiguration(place.configId, `i-${made}`, { name: 'a' }, changeBy('created')),
  )
  return place
}
const rename = (name: string) => {
  const changed = changeBy(`to ${name}`)
  return (current: Configuration) => updateConfiguration(current, { name }, changed)
}
const numbersOf = async (configuration: Configuration): Promise<number[]> => {
  const numbers = [configuration.current.version]
  for await (const { version } of newStore().history.list(configuration.internalId)) numbers.push(version)
  return [...new Set(numbers)].toSorted((a, b) => a - b)
}

describe('a hundred writers in ten processes', () => {
  it('make a hundred versions, none lost and none doubled', async () => {
    const place = await create()
    const stores = Array.from({ length: 10 }, () => newStore())
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => stores[index % 10]?.change(place, rename(`name ${index}`))),
    )
    const written = results.filter(result => typeof result === 'object')
    expect(written).toHaveLength(100)
    expect(new Set(written.map(({ current }) => current.version)).size).toBe(100)

    const store = newStore()
    const head = await store.get(place)
    if (!head) throw new Error('There is no configuration')
    expect(await numbersOf(head)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1))
    for (const { current } of written)
      expect((await store.version(head, current.version))?.content.name).toBe(current.content.name)
  })
})

describe('writes whose replies are lost', () => {
  it('are not made again', async () => {
    const place = await create()
    const { transact } = disturbedItems(database.store, { random: randomFrom(7), lostAnswers: 0.2 })
    const store = newStore(() => createItemTable({ ...database.store, transact }))
    for (let index = 0; index < 20; index++) await store.change(place, rename(`name ${index}`))
    const head = await newStore().get(place)
    if (!head) throw new Error('There is no configuration')
    expect(await numbersOf(head)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
  })
})

describe('a crash between the archive and the head', () => {
  it('changes nothing, and does not stop the next writer', async () => {
    const place = await create()
    const crashing = newStore(items => ({
      ...items,
      transact: () => Promise.reject(new Error('the process is gone')),
    }))
    await expect(crashing.change(place, rename('lost'))).rejects.toThrow('the process is gone')
    const store = newStore()
    expect((await store.get(place))?.current).toMatchObject({ version: 1, content: { name: 'a' } })
    await store.change(place, rename('next'))
    const head = await store.get(place)
    if (!head) throw new Error('There is no configuration')
    expect((await store.version(head, 1))?.content.name).toBe('a')
    expect(await numbersOf(head)).toEqual([1, 2])
  })
})

describe('change', () => {
  it('resolves to `missing` when there is none', async () => {
    const place = { branchId: 1, componentId: 'c', configId: 'nothing' }
    expect(await newStore().change(place, rename('x'))).toBe('missing')
  })

  it('throws what the step throws, and changes nothing then', async () => {
    const place = await create()
    const refused = newStore().change(place, () => {
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
    expect((await newStore().get(place))?.current.version).toBe(1)
  })
})

describe('purge', () => {
  it('takes all versions along', async () => {
    const place = await create()
    const store = newStore()
    await store.change(place, rename('b'))
    const head = await store.change(place, current => trashConfiguration(current, changeBy('gone')))
    expect(await store.purge(place)).toBe(true)
    expect(await store.get(place)).toBeUndefined()
    if (typeof head !== 'object') throw new Error('There is no configuration')
    for await (const version of store.history.list(head.internalId))
      throw new Error(`Version ${version.version} is left`)
  })

  it('leaves one that was restored since it was looked at', async () => {
    const place = await create()
    const store = newStore()
    await store.change(place, current => trashConfiguration(current, changeBy('gone')))
    const found = await store.get(place)
    await store.change(place, current => restoreConfiguration(current, changeBy('back')))
    expect(await store.purge(place, found)).toBe(false)
    expect((await store.get(place))?.current.content.isDeleted).toBe(false)
  })
})

it('knows the components that have configurations in a branch, whatever their ids begin with', async () => {
  const components = ['a', 'a-b', 'a.b', 'a0', 'ab', 'A', 'b']
  const store = newStore()
  const placeOf = (branchId: number, componentId: string) => ({ branchId, componentId, configId: `${made}` })
  const insert = (place: ReturnType<typeof placeOf>) =>
    store.insert(place, newConfiguration(place.configId, `i-${++made}`, { name: 'a' }, changeBy('created')))
  for (const id of [...components, 'a', 'b']) await insert(placeOf(7, id))
  await insert(placeOf(77, 'other'))
  expect([...(await store.componentsIn(7))].toSorted()).toEqual(components.toSorted())
  expect(await store.componentsIn(8)).toEqual(new Set())
  expect((await store.list(7, 'a')).map(({ id }) => id)).toHaveLength(2)
})
