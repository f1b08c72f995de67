import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import {
  copyConfiguration,
  newConfiguration,
  rollbackConfiguration,
} from '#lib/storage/configurations/change-configuration.ts'
import { addRow, setRowState, updateRow } from '#lib/storage/configurations/change-rows.ts'
import type { ConfigurationPlace } from '#lib/storage/configurations/configuration.ts'
import { type Configuration, rowMemory, type Version } from '#lib/storage/configurations/configuration.ts'
import { createDocumentFiles } from '#lib/storage/db/document-files.ts'
import { startTestS3 } from '#support/embedded-s3.ts'
import { startItemTable } from '#support/start-item-table.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { changed, configurationsOn, step } from './steps.ts'

const database = await untilEnd(startItemTable())

// Nothing here is too long for an item.
const documents = createDocumentFiles(new S3Client({ region: 'us-east-1' }), 'none')
const table = () => database.items

/** A store of a new process: it shares nothing, and has nothing in memory. */
const newStore = (wrap: (items: ItemTable) => ItemTable = items => items) =>
  configurationsOn(wrap(table()), documents)

let made = 0
const newPlace = (): ConfigurationPlace => ({
  branchId: 1,
  componentId: 'c',
  configId: `config-${++made}`,
})
const newHead = (place: ConfigurationPlace): Configuration =>
  newConfiguration(place.configId, `internal-${place.configId}`, { name: 'a' }, changed())

const settings = (text: string) => ({ configuration: JSON.stringify({ text: text.padEnd(1_000, '.') }) })
const textOf = (configuration: Configuration, rowId: string): string | undefined => {
  const row = configuration.current.content.rows.find(({ id }) => id === rowId)
  return row && JSON.parse(row.configuration).text.replaceAll('.', '')
}

/** A configuration with the rows `r0`, `r1`, … made one by one. */
const createWithRows = async (count: number): Promise<ConfigurationPlace> => {
  const place = newPlace()
  const store = newStore()
  await store.insert(place, newHead(place))
  for (let index = 0; index < count; index++) {
    const change = changed()
    await store.change(place, current => addRow(current, `r${index}`, settings(`row ${index}`), change))
  }
  return place
}

const update = (rowId: string, text: string) => {
  const change = changed()
  return (current: Configuration) => updateRow(current, rowId, settings(text), change)
}

const read = async (place: ConfigurationPlace): Promise<Configuration> => {
  const configuration = await newStore().get(place)
  if (!configuration) throw new Error('There is no configuration')
  return configuration
}

const versionsOf = async (configuration: Configuration): Promise<(Version | undefined)[]> => {
  const store = newStore()
  return Promise.all(
    Array.from({ length: configuration.current.version }, (_, index) =>
      store.version(configuration, index + 1),
    ),
  )
}

describe('a write to one row of many', () => {
  /** Bytes of all that a change writes. */
  const bytesOf = async (place: ConfigurationPlace, change: (current: Configuration) => Configuration) => {
    let bytes = 0
    const store = newStore(items => ({
      ...items,
      transact: writes => {
        bytes += JSON.stringify(writes).length
        return items.transact(writes)
      },
    }))
    await store.change(place, change)
    return bytes
  }
  const written = async (rows: number, change: (current: Configuration) => Configuration) =>
    bytesOf(await createWithRows(rows), change)

  it('stores that row and references to the others, not the others', async () => {
    const bytesPerRow =
      ((await written(120, update('r5', 'new'))) - (await written(20, update('r5', 'new')))) / 100
    expect(bytesPerRow).toBeLessThan(50)
  })

  it('stores the state of that row alone when it sets one', async () => {
    const long = (index: number) => JSON.stringify({ text: String(index).padEnd(1_000, '.') })
    const place = await createWithRows(30)
    const store = newStore()
    for (let index = 0; index < 30; index++)
      await store.change(place, current => setRowState(current, `r${index}`, long(index)))
    const bytes = await bytesOf(place, current => setRowState(current, 'r3', long(100)))
    // The state, and references to thirty rows and states.
    expect(bytes).toBeLessThan(5_000)
    const now = await read(place)
    expect(rowMemory(now, 'r3').state).toBe(long(100))
    expect(rowMemory(now, 'r4').state).toBe(long(4))
  })
})

describe('a store over items', () => {
  it('returns what the changes made, after any history and for every version', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
        const place = newPlace()
        let expected = newHead(place)
        const versions = [expected.current]
        await newStore().insert(place, expected)
        for (const next of steps) {
          const before = expected
          expected = next(before, versions)
          // A change is one version. Trash and restore make two, the first of which is never stored.
          if (expected.current.version > before.current.version + 1) {
            expected = before
            continue
          }
          if (expected.current !== before.current) versions.push(expected.current)
          const target = expected
          await newStore().change(place, () => (target === before ? before : target))
          expect(await read(place)).toEqual(target)
        }
        expect(await versionsOf(expected)).toEqual(versions)
      }),
      { numRuns: runs(15) },
    )
  })
})

describe('eight writers to the rows of one configuration', () => {
  it('lose nothing, and make dense versions of it and of each row', async () => {
    const place = await createWithRows(8)
    const before = (await read(place)).current.version
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const store = newStore()
        for (let index = 0; index < 6; index++) {
          expect(
            await store.change(place, update(`r${(writer + index) % 8}`, `${writer} ${index}`)),
          ).toBeTypeOf('object')
          const state = JSON.stringify({ writer, index })
          await store.change(place, current => setRowState(current, `r${writer}`, state))
        }
      }),
    )
    const now = await read(place)
    expect(now.current.version).toBe(before + 48)
    for (let index = 0; index < 8; index++)
      expect(rowMemory(now, `r${index}`).state).toBe(JSON.stringify({ writer: index, index: 5 }))

    const versions = await versionsOf(now)
    const texts = versions.flatMap(version => version?.content.rows.map(row => row.configuration) ?? [])
    for (let writer = 0; writer < 8; writer++)
      for (let index = 0; index < 6; index++)
        expect(texts).toContain(settings(`${writer} ${index}`).configuration)
    for (const row of now.current.content.rows) {
      const all: number[] = []
      for await (const { version } of newStore().rowVersions(place, row.id)) all.push(version)
      expect(all).toEqual([7, 6, 5, 4, 3, 2, 1])
    }
  })
})

describe('a process that dies at a write', () => {
  /** Dies before or after its k-th write. */
  const dying = (at: number, when: 'before' | 'after') => {
    let writes = 0
    const dyingIn =
      <Given extends unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        const isLast = ++writes === at
        if (writes > at || (isLast && when === 'before')) throw new Error('the process is gone')
        const result = await write(...given)
        if (isLast) throw new Error('the process is gone')
        return result
      }
    return newStore(items => ({
      ...items,
      putAll: dyingIn(items.putAll),
      transact: dyingIn(items.transact),
    }))
  }
  const state = JSON.stringify({ since: 'today' })
  const changes = {
    'of a row': (current: Configuration) => update('r1', 'mine')(current),
    'of many rows': (current: Configuration) => rollbackConfiguration(current, current.current, changed()),
    'of a state': (current: Configuration) => setRowState(current, 'r1', state),
    'of a new row': (current: Configuration) =>
      addRow(current, 'new', { ...settings('mine'), state }, changed()),
  }
  const cases = Object.entries(changes).flatMap(([name, change]) =>
    [1, 2].flatMap(at => [
      { name, change, at, when: 'before' as const },
      { name, change, at, when: 'after' as const },
    ]),
  )

  it.each(cases)(
    '$name, $when write $at, leaves the old or the new configuration, complete',
    async ({ change, at, when }) => {
      const place = await createWithRows(12)
      await newStore().change(place, current => setRowState(current, 'r2', state))
      const before = await read(place)
      const after = change(before)

      // With fewer writes nothing dies.
      await dying(at, when)
        .change(place, current => (current.current.version === before.current.version ? after : current))
        .catch(() => undefined)

      const found = await read(place)
      expect([before, after]).toContainEqual(found)
      const next = await newStore().change(place, update('r0', 'next'))
      expect(next).toMatchObject({ current: { version: found.current.version + 1 } })
      const now = await read(place)
      expect(now).toEqual(next)
      expect(textOf(now, 'r0')).toBe('next')
      expect(textOf(now, 'r1')).toBe(textOf(found, 'r1'))
      expect(rowMemory(now, 'r2').state).toBe(state)
      const versions = await versionsOf(now)
      expect(versions.map(version => version?.version)).toEqual(versions.map((_, index) => index + 1))
      expect(versions[found.current.version - 1]).toEqual(found.current)
    },
  )
})

describe('a reader', () => {
  it('reads the head again when it changed before the states were read', async () => {
    const place = await createWithRows(1)
    const setState = (index: number) =>
      newStore().change(place, current => setRowState(current, 'r0', JSON.stringify({ index })))
    const touch = (name: string) => newStore().change(place, update('r0', name))
    await setState(1)
    await touch('a')
    let reads = 0
    const store = newStore(items => ({
      ...items,
      getMany: async keys => {
        if (keys.some(({ sk }) => sk.startsWith('s#')) && ++reads === 1) {
          await setState(2)
          await touch('b')
        }
        return items.getMany(keys)
      },
    }))
    const found = await store.get(place)
    if (!found) throw new Error('There is no configuration')
    expect(rowMemory(found, 'r0').state).toBe(JSON.stringify({ index: 2 }))
    expect(textOf(found, 'r0')).toBe('b')
  })

  it('finds nothing when the configuration is purged meanwhile', async () => {
    const place = await createWithRows(2)
    const store = newStore(items => ({
      ...items,
      getMany: async keys => {
        await newStore().purge(place)
        return items.getMany(keys)
      },
    }))
    expect(await store.get(place)).toBeUndefined()
  })

  it('fails when a row is missing that the head refers to', async () => {
    const place = await createWithRows(2)
    const store = newStore(items => ({ ...items, getMany: async () => [] }))
    await expect(store.get(place)).rejects.toThrow(`Rows of the configuration ${place.configId} are missing`)
  })
})

describe('many rows at once', () => {
  it('are stored before the head of a copy, one that is too long for an item in S3', async () => {
    const s3 = await untilEnd(startTestS3())
    await s3.client.send(new CreateBucketCommand({ Bucket: 'tables' }))
    const open = () => configurationsOn(table(), createDocumentFiles(s3.client, 'tables'))
    const from = await createWithRows(120)
    const long = { configuration: JSON.stringify({ text: '.'.repeat(400_000) }) }
    await open().change(from, current => addRow(current, 'long', long, changed()))
    const source = await open().get(from)
    if (!source) throw new Error('There is no configuration')
    const place = newPlace()
    const ids = { id: place.configId, internalId: `internal-${place.configId}` }
    const copy = copyConfiguration(source, source.current, { ...ids, name: 'copy' }, changed())
    expect(await open().insert(place, copy)).toBe(true)
    expect(await open().get(place)).toEqual(copy)

    const next = await open().change(place, update('r7', 'changed'))
    expect(await open().get(place)).toEqual(next)
    expect(await open().version(copy, 1)).toEqual(copy.current)
  })

  it('that a rollback wrote which came too late are no versions of theirs', async () => {
    const place = await createWithRows(12)
    const first = (await read(place)).current
    let isFirst = true
    const overtaken = newStore(items => ({
      ...items,
      putAll: async all => {
        if (isFirst) await newStore().change(place, update('r3', 'meanwhile'))
        isFirst = false
        await items.putAll(all)
      },
    }))
    await overtaken.change(place, current => rollbackConfiguration(current, first, changed()))
    const texts: (string | undefined)[] = []
    for await (const row of newStore().rowVersions(place, 'r3'))
      texts.push(`${row.version} ${JSON.parse(row.configuration).text.replaceAll('.', '')}`)
    expect(texts).toEqual(['3 row 3', '2 meanwhile', '1 row 3'])
    const found = await read(place)
    const versions = await versionsOf(found)
    expect(versions.at(-2)?.content.rows.find(({ id }) => id === 'r3')?.configuration).toBe(
      settings('meanwhile').configuration,
    )
    expect(found.current.content.rows.map(({ id, version }) => `${id} ${version}`).toSorted()).toEqual(
      first.content.rows.map(({ id }) => `${id} ${id === 'r3' ? 3 : 2}`).toSorted(),
    )
  })
})
