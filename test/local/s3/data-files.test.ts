import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { Store } from '#local/s3/storage/store.ts'

it('a file that a copy has come to share stays when its first owner goes meanwhile', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'data-files-'))
  const store = await Store.open(dataDir, new DurableFiles())
  try {
    const { file, handle } = await store.files.create()
    await handle.write([Buffer.from('shared')])
    await store.files.finish(file, handle)
    await handle.close()
    const slices = [{ file, fileStart: 0, size: 6 }]
    const content = { size: 6, md5: '', checksums: {}, slices, newFiles: [file] }
    await store.commit([file], () => store.parts.put(1, 1, content, 0))

    const release = store.files.hold([file])
    await store.commit([], () => store.parts.remove(1))
    await store.commit([], () => store.parts.put(2, 1, content, 0))
    release()
    await store.files.settled()
    expect(existsSync(store.files.path(file))).toBe(true)

    await store.commit([], () => store.parts.remove(2))
    await store.files.settled()
    expect(existsSync(store.files.path(file))).toBe(false)
  } finally {
    await store.close()
    await rm(dataDir, { recursive: true })
  }
})

it('transactions that share a commit are undone alone, and each hears its own result', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'data-files-'))
  const store = await Store.open(dataDir, new DurableFiles())
  try {
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
  } finally {
    await store.close()
    await rm(dataDir, { recursive: true })
  }
})

it.each([
  ['full', 2],
  ['relaxed', 1],
] as const)('with %s durability SQLite syncs as it should', async (durability, synchronous) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'data-files-'))
  const store = await Store.open(dataDir, new DurableFiles({ durability }))
  try {
    expect(store.database.get('PRAGMA synchronous')).toEqual({ synchronous })
  } finally {
    await store.close()
    await rm(dataDir, { recursive: true })
  }
})
