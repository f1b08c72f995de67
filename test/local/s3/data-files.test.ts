import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { newFileName } from '#local/s3/storage/data-files.ts'
import { readSlices } from '#local/s3/storage/read-slices.ts'
import { Store } from '#local/s3/storage/store.ts'

/** A store in a folder of its own. */
const withStore = async (use: (store: Store) => Promise<void>, files = new DurableFiles()): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'data-files-'))
  const store = await Store.open(dataDir, files)
  try {
    await use(store)
  } finally {
    await store.close()
    await rm(dataDir, { recursive: true })
  }
}

it('a file that a copy has come to share stays when its first owner goes meanwhile', () =>
  withStore(async store => {
    const { file, handle } = await store.files.create()
    await handle.write([Buffer.from('shared')])
    await store.files.finish(file, handle)
    await handle.close()
    const slices = [{ file, fileStart: 0, size: 6 }]
    const content = { size: 6, md5: '', checksums: {}, slices, newFiles: [{ name: file }] }
    await store.commit(content.newFiles, () => store.parts.put(1, 1, content, 0))

    const release = store.files.hold([file])
    await store.commit([], () => store.parts.remove(1))
    await store.commit([], () => store.parts.put(2, 1, content, 0))
    release()
    await store.files.settled()
    expect(existsSync(store.files.path(file))).toBe(true)

    await store.commit([], () => store.parts.remove(2))
    await store.files.settled()
    expect(existsSync(store.files.path(file))).toBe(false)
  }))

it('a small file lies in the database until nobody shares or reads it', () =>
  withStore(async store => {
    const { files, parts } = store
    const name = newFileName()
    const slices = [{ file: name, fileStart: 1, size: 4 }]
    const newFiles = [{ name, content: Buffer.from('small!') }]
    const content = { size: 4, md5: '', checksums: {}, slices, newFiles }
    await store.commit(newFiles, () => parts.put(1, 1, content, 0))
    await store.commit([], () => parts.put(2, 1, content, 0))
    await store.commit([], () => parts.remove(1))
    await files.settled()
    expect(await textOf(readSlices(files, slices).bytes)).toBe('mall')

    const { bytes } = readSlices(files, slices)
    await store.commit([], () => parts.remove(2))
    await files.settled()
    expect(await textOf(bytes)).toBe('mall')
    await files.settled()
    expect(files.readSmall(name)).toBeUndefined()
    expect(readdirSync(dirname(files.path(name)))).toEqual([])
  }))

it('a small file is not kept when its transaction fails', () =>
  withStore(async store => {
    const name = newFileName()
    const commit = store.commit([{ name, content: Buffer.from('small') }], () => {
      throw new Error('no')
    })
    await expect(commit).rejects.toThrow('no')
    expect(store.files.readSmall(name)).toBeUndefined()
  }))

it('transactions that share a commit are undone alone, and each hears its own result', () =>
  withStore(async store => {
    const made = await Promise.allSettled([
      store.commit([], () => store.buckets.create('first')),
      store.commit([], () => {
        store.buckets.create('undone')
        throw new Error('no')
      }),
      store.commit([], () => store.buckets.create('third')),
    ])
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(store.buckets.list().map(({ name }) => name)).toEqual(['first', 'third'])
  }))

it.each([
  ['full', 2],
  ['relaxed', 1],
] as const)('with %s durability SQLite syncs as it should', (durability, synchronous) =>
  withStore(async ({ database }) => {
    expect(database.get('PRAGMA synchronous')).toEqual({ synchronous })
  }, new DurableFiles({ durability })),
)
