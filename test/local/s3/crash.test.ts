import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dataFiles, startTestS3, testRoot } from '../../support/embedded-s3.ts'
import { eventually } from '../../support/eventually.ts'
import { untilEnd } from '../../support/until-end.ts'

let folder: string
let dataDir: string
let child: ChildProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crash-'))
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const startChild = async (): Promise<{ client: S3Client; kill: () => Promise<void> }> => {
  const started = spawn(
    process.execPath,
    [join(import.meta.dirname, 'crash-child.ts'), dataDir, join(folder, 'events')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  child = started
  const [line] = await once(started.stdout, 'data')
  const client = new S3Client({
    endpoint: String(line).trim(),
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: testRoot,
    maxAttempts: 1,
  })
  const kill = async (): Promise<void> => {
    started.kill('SIGKILL')
    await once(started, 'exit')
    client.destroy()
  }
  return { client, kill }
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

it('keeps every acknowledged object whole, and no partial one, when it is killed while writing', async () => {
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < 3; round++) {
    const { client, kill } = await startChild()
    let isAlive = true
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; isAlive; i++) {
        const Key = `${round}/${writer}/${i}`
        // Large ones are cut in the middle of their body, small ones around their commit.
        const Body = randomBytes(writer === 0 ? 3_000_000 : 2000)
        try {
          await client.send(new PutObjectCommand({ Bucket: 'box', Key, Body }))
          acknowledged.set(Key, digest(Body))
        } catch {
          return
        }
      }
    }
    const writers = [0, 1, 2, 3].map(write)
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(30 * (round + 1)))
    await kill()
    isAlive = false
    await Promise.all(writers)
  }

  const events = new Set<string>(readFileSync(join(folder, 'events'), 'utf8').split('\n'))
  const s3 = await untilEnd(
    startTestS3({
      dataDir,
      onObjectCreated: async ({ detail }) => void events.add(detail.object.key),
    }),
  )
  for (const [Key, expected] of acknowledged) {
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key }))
    expect(digest((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(expected)
  }
  // Requests under way may be committed without being acknowledged; their objects are whole too.
  const listed: string[] = []
  let ContinuationToken: string | undefined
  do {
    const page = await s3.client.send(new ListObjectsV2Command({ Bucket: 'box', ContinuationToken }))
    for (const { Key = '', Size } of page.Contents ?? []) {
      listed.push(Key)
      expect(Size).toBe(Key.split('/')[1] === '0' ? 3_000_000 : 2000)
    }
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  expect(listed.length - acknowledged.size).toBeLessThanOrEqual(12)
  const large = listed.filter(key => key.split('/')[1] === '0')
  expect(await dataFiles(dataDir)).toHaveLength(large.length)
  await eventually(() => expect(listed.filter(key => !events.has(key))).toEqual([]))
})

it('resumes a multipart upload after a kill', async () => {
  const parts = [randomBytes(5 * 1024 ** 2), randomBytes(1000)]
  const first = await startChild()
  const target = { Bucket: 'box', Key: 'upload' }
  const { UploadId } = await first.client.send(new CreateMultipartUploadCommand(target))
  const upload = async (client: S3Client, index: number) => {
    const command = new UploadPartCommand({
      ...target,
      UploadId,
      PartNumber: index + 1,
      Body: parts[index] ?? '',
    })
    const { $metadata: _, ...part } = await client.send(command)
    return { PartNumber: index + 1, ...part }
  }
  const one = await upload(first.client, 0)
  await first.kill()
  const second = await startChild()
  const two = await upload(second.client, 1)
  const complete = new CompleteMultipartUploadCommand({
    ...target,
    UploadId,
    MultipartUpload: { Parts: [one, two] },
  })
  const { ETag } = await second.client.send(complete)
  await second.kill()
  const third = await startChild()
  expect((await third.client.send(complete)).ETag).toBe(ETag)
  const { Body } = await third.client.send(new GetObjectCommand(target))
  expect(digest((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(digest(Buffer.concat(parts)))
  await third.kill()
})

/** The database holds no files of this size. */
const large = 'x'.repeat(100_000)

it('sweeps what was never answered', async () => {
  const { client, kill } = await startChild()
  await client.send(new PutObjectCommand({ Bucket: 'box', Key: 'kept', Body: large }))
  await kill()
  const stored = await dataFiles(dataDir)
  writeFileSync(join(dataDir, 'data', 'f', 'f'.repeat(32)), 'half a bo')

  const s3 = await untilEnd(startTestS3({ dataDir }))
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'kept' }))
  expect(await Body?.transformToString()).toBe(large)
  expect(await dataFiles(dataDir)).toEqual(stored)
})

it.each([
  ['the files would go', large, 1],
  ['the small ones are gone with it', 'small', 0],
])('does not take a missing database for an empty one: %s', async (_why, Body, files) => {
  const { client, kill } = await startChild()
  await client.send(new PutObjectCommand({ Bucket: 'box', Key: 'kept', Body }))
  await kill()
  for (const name of await readdir(dataDir)) if (name.startsWith('s3.db')) rmSync(join(dataDir, name))

  await expect(startTestS3({ dataDir })).rejects.toThrow(
    /the database that names its files and holds the small ones is missing/,
  )
  expect(await dataFiles(dataDir)).toHaveLength(files)
})

it('refuses a damaged database with a sentence', async () => {
  const { kill } = await startChild()
  await kill()
  writeFileSync(join(dataDir, 's3.db'), 'x'.repeat(8192))
  // It would mend the database.
  rmSync(join(dataDir, 's3.db-wal'))
  await expect(startTestS3({ dataDir })).rejects.toThrow(/is damaged .* Restore the data directory/)
})

it('lets only one server use a folder', async () => {
  await untilEnd(startTestS3({ dataDir }))
  await expect(startTestS3({ dataDir })).rejects.toThrow(/in use by another server/)
})
