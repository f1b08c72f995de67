import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { isOutOfSpace } from '#lib/errors/out-of-space.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { mountMemory, whyNoMount } from '../../support/block-device.ts'
import { fillableDisk } from '../../support/fillable-disk.ts'
import { emptyModel, findLosses, prepare, writeAll } from './model.ts'
import { openStores, type Stores } from './stores.ts'

const folder = folderUntilEnd()
const reason = whyNoMount(join(folder, 'probe'))
if (reason !== undefined) console.warn(`Full disks of a real file system are skipped: ${reason}`)

const noRoom = /There is no space left on the disk/

const put = ({ s3Client }: Stores, Key: string, bytes = 200_000) =>
  s3Client.send(new PutObjectCommand({ Bucket: 'box', Key, Body: Buffer.alloc(bytes, 'x') }))
const putItem = ({ items }: Stores, sk: string, length = 1000) =>
  items.put({ pk: 'item', sk }, { value: 'v'.repeat(length) })

/** Takes every free byte of the file system; the returned function gives them back. */
const fill = (path: string): (() => void) => {
  const file = openSync(path, 'w')
  try {
    for (let bytes = 1 << 20; bytes >= 1; bytes = bytes > 1 ? bytes >> 1 : 0)
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes))
      } catch {
        // No room for so many; for fewer perhaps.
      }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return () => rmSync(path)
}

it.skipIf(reason !== undefined)(
  'a full disk refuses what is written, still reads, and loses nothing; with room all goes on',
  async () => {
    const mounted = mountMemory(join(folder, 'small'), '48m')
    await using mounts = new AsyncDisposableStack()
    mounts.defer(mounted.unmount)
    const dataDir = join(mounted.path, 'data')
    mkdirSync(dataDir)
    const files = new DurableFiles({ durability: 'full' })
    const model = emptyModel()
    let stores = await openStores(dataDir, files, () => {})
    mounts.defer(() => stores.close())
    await prepare(stores)
    await writeAll(stores, model, 5)

    const makeRoom = fill(join(mounted.path, 'ballast'))
    await expect(put(stores, 'refused')).rejects.toMatchObject({
      name: 'InsufficientStorage',
      message: expect.stringMatching(noRoom),
      $metadata: { httpStatusCode: 507 },
    })
    // The log has some room left in its last page; then it is full, and stays so.
    const refusals: unknown[] = []
    for (let index = 0; index < 20; index++)
      await putItem(stores, `full/${index}`, 20_000).catch(error => refusals.push(error))
    expect(refusals.length).toBeGreaterThan(10)
    expect(isOutOfSpace(refusals.at(-1))).toBe(true)
    await stores.s3.createBucket('another').catch(() => {})
    expect(await findLosses(stores, { ...model, parts: new Map() })).toEqual([])

    makeRoom()
    await put(stores, 'after')
    await putItem(stores, 'after')
    await stores.close()
    stores = await openStores(dataDir, files, () => {})
    expect(await findLosses(stores, model)).toEqual([])
    const { Body } = await stores.s3Client.send(new GetObjectCommand({ Bucket: 'box', Key: 'after' }))
    expect(await Body?.transformToByteArray()).toHaveLength(200_000)
    expect((await stores.items.get({ pk: 'item', sk: 'after' }))?.['value']).toHaveLength(1000)
  },
)

it.skipIf(reason !== undefined)('npm start on a full disk says so', async () => {
  const mounted = mountMemory(join(folder, 'none'), '1m')
  await using mounts = new AsyncDisposableStack()
  mounts.defer(mounted.unmount)
  fill(join(mounted.path, 'ballast'))
  const cli = join(import.meta.dirname, '../../../cli/millrace.ts')
  const child = spawn(process.execPath, [cli, 'start'], {
    env: {
      ...process.env,
      MILLRACE_DATA_DIR: join(mounted.path, 'data'),
      MILLRACE_API_PORT: '0',
      MILLRACE_S3_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(said).toMatch(/The disk that holds the data directory is full: .*Make room/)
  expect(said).not.toMatch(/\n {4}at /)
  expect(code).toBe(1)
})

it('a file that does not fit leaves nothing behind, and the one before it stays', async () => {
  const { disk, state } = fillableDisk()
  const dataDir = join(folder, 'fillable')
  mkdirSync(dataDir)
  const files = new DurableFiles({ durability: 'full', disk })
  const model = emptyModel()
  const first = await openStores(dataDir, files, () => {})
  try {
    await prepare(first)
    await writeAll(first, model, 3)
    state.isFull = true
    await expect(put(first, '0/0')).rejects.toMatchObject({ $metadata: { httpStatusCode: 507 } })
    const record = { executionArn: 'arn:run-0', stateMachineArn: 'arn:m', name: 'run-0', input: '{}' }
    await expect(
      first.executions.put({ ...record, startDate: '2026', status: 'RUNNING' }),
    ).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(first.executions.get('arn:run-0')?.status).toBe('SUCCEEDED')
    state.isFull = false
    await put(first, 'after')
  } finally {
    await first.close()
  }
  const lines: string[] = []
  const second = await openStores(dataDir, files, line => lines.push(line))
  try {
    expect(await findLosses(second, model)).toEqual([])
    expect(lines).toEqual([])
  } finally {
    await second.close()
  }
})
