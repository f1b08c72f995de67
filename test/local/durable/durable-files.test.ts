import { expect, it } from 'vitest'
import type { DiskFile } from '#local/durable/disk.ts'
import { readDurability } from '#local/durable/durability.ts'
import { shareRuns, syncWhileWritten } from '#local/durable/durable-files.ts'

const tenMiB = [Buffer.alloc(10 * 1024 * 1024)]

const fileWith = (sync: () => Promise<void>): DiskFile => ({
  write: async buffers => buffers.reduce((bytes, { length }) => bytes + length, 0),
  sync,
  close: async () => {},
})

it('a large file is synced while it is written, and in the end', async () => {
  let syncs = 0
  const file = syncWhileWritten(
    fileWith(async () => {
      syncs += 1
    }),
  )
  await file.write([Buffer.alloc(10)])
  expect(syncs).toBe(0)
  await file.write(tenMiB)
  await file.sync()
  expect(syncs).toBe(2)
})

it('a sync that failed on the way fails the last one, though that would succeed', async () => {
  let syncs = 0
  const file = syncWhileWritten(
    fileWith(async () => {
      syncs += 1
      if (syncs === 1) throw new Error('the disk is gone')
    }),
  )
  await file.write(tenMiB)
  await expect(file.sync()).rejects.toThrow('the disk is gone')
  await file.close()
})

it('callers share a run that begins after their call', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const run = shareRuns(() => {
    const made = Promise.withResolvers<void>()
    runs.push(made)
    return made.promise
  })
  const done: string[] = []
  const first = run().then(() => done.push('first'))
  const others = [run(), run(), run()].map(each => each.then(() => done.push('other')))
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await first
  expect(done).toEqual(['first'])
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.resolve()
  await Promise.all(others)
  expect(done).toEqual(['first', 'other', 'other', 'other'])
  expect(runs).toHaveLength(2)
})

it('a run that fails fails its own callers only', async () => {
  let runs = 0
  const run = shareRuns(async () => {
    runs += 1
    if (runs === 1) throw new Error('no')
  })
  const [first, second] = await Promise.allSettled([run(), run()])
  expect([first.status, second.status]).toEqual(['rejected', 'fulfilled'])
})

it('durability is full unless it is said to be relaxed', () => {
  expect(readDurability({})).toBe('full')
  expect(readDurability({ MILLRACE_DURABILITY: '' })).toBe('full')
  expect(readDurability({ MILLRACE_DURABILITY: 'relaxed' })).toBe('relaxed')
  expect(() => readDurability({ MILLRACE_DURABILITY: 'none' })).toThrow(
    'MILLRACE_DURABILITY must be full or relaxed',
  )
})
