import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { unpackRecording } from '#lib/extractor/run/cassette/pack-recording.ts'
import { readRun } from '#lib/extractor/run/cassette/recording.ts'
import { recordingTags } from '#lib/extractor/run/cassette/recording-tags.ts'
import { replayExtraction } from '#lib/extractor/run/cassette/replay-extraction.ts'
import { type Extraction, startExtraction } from '../../support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

const SECRET = 'very-secret-token-of-the-shop'

let extraction: Extraction
let api: ApiServer
let isBroken = false
let bytesEach = 0
let pages = 12
let configs = 0
let configId = ''

beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(({ query, headers }, response) => {
    if (isBroken) response.statusCode = 403
    const page = Number(query.get('page'))
    response.setHeader('X-Echo', String(headers['x-token']))
    const row = { id: page, more: 'x'.repeat(bytesEach) }
    return isBroken ? { why: headers['x-token'] } : page > pages ? [] : [row]
  })
})

afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

beforeEach(async () => {
  isBroken = false
  bytesEach = 0
  pages = 12
  configId = `recorded${++configs}`
  const { service } = extraction
  const made = await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: {
      keepRecordings: true,
      parameters: {
        api: {
          baseUrl: `${api.origin}/`,
          pagination: { method: 'pagenum' },
          http: { maxConcurrency: 1, headers: { 'X-Token': { attr: '#token' } } },
        },
        config: { '#token': SECRET, outputBucket: configId, jobs: [{ endpoint: 'items' }] },
      },
    },
  })
  expect(made.status).toBe(201)
})

const filesOf = async (end: 'good' | 'bad') => {
  const { stackStorage } = extraction.services()
  return stackStorage.filesWithTags(recordingTags({ componentId: 'ex-generic-v2', configId }, end))
}

/** The bytes of a recording, as whoever may read the files gets them. */
const bytesOf = async (fileId: number): Promise<Buffer> => {
  const { service, services } = extraction
  const { body } = await service.call('GET', `/v2/storage/files/${fileId}?federationToken=1`)
  const s3 = services().s3With(body.region, body.credentials)
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: body.s3Path.bucket, Key: body.s3Path.key }))
  s3.destroy()
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

it('are files of runs only: no other token gives a file their tag', async () => {
  const { service } = extraction
  const { body: made } = await service.call('POST', '/v2/storage/tokens', { canManageBuckets: true })
  const as = (method: string, path: string, body: object) =>
    service.call(method, `/v2/storage/${path}`, body, { 'X-StorageApi-Token': made.token })
  const tags = recordingTags({ componentId: 'ex-generic-v2', configId }, 'good')
  const prepared = await as('POST', 'files/prepare', { name: 'planted.jsonl.gz', tags })
  expect([prepared.status, prepared.body.error]).toEqual([
    403,
    expect.stringContaining('given to files by runs'),
  ])
  const { body: own } = await as('POST', 'files/prepare', { name: 'planted.jsonl.gz', tags: tags.slice(1) })
  expect((await as('POST', `files/${own.id}/tags`, { tag: tags[0] })).status).toBe(403)
  expect(await filesOf('good')).toEqual([])
  await extraction.run(configId)
  expect(await filesOf('good')).toHaveLength(1)
})

const withUnpacked = async (fileId: number, use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'))
  try {
    await unpackRecording(await bytesOf(fileId), folder)
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const replay = async (folder: string): Promise<string[]> => {
  const { config } = await readRun(folder)
  const spoolDir = join(folder, '..', `${configId}-spool`)
  const outDir = join(folder, '..', `${configId}-out`)
  const { differences } = await replayExtraction(folder, { config, spoolDir, outDir })
  await rm(outDir, { recursive: true, force: true })
  await rm(spoolDir, { recursive: true, force: true })
  return differences
}

/** Everything in the work bucket, as text. */
const workTexts = async (): Promise<string> => {
  const { s3, bucket } = extraction.work
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
  const texts = await Promise.all(
    Contents.map(async ({ Key = '' }) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      return Key.endsWith('.gz') ? decoded(gunzipSync(bytes)) : bytes.toString('latin1')
    }),
  )
  return texts.join('\n')
}

const decoded = (packed: Buffer): string =>
  packed
    .toString('utf8')
    .split('\n')
    .map(line => Buffer.from(JSON.parse(line).base64, 'base64').toString('latin1'))
    .join('\n')

it('the last good run is kept across its legs, without secrets, and is replayed without the API', async () => {
  const { end } = await extraction.run(configId, { settings: { legSeconds: 0.02 } })
  expect(end.result).toMatchObject({ status: 'success', rows: [{ rowsLoaded: pages, warnings: [] }] })
  const [file] = await filesOf('good')
  await withUnpacked(file?.id ?? 0, async folder => {
    expect(await readdir(join(folder, 'bodies'))).toHaveLength(pages + 1)
    expect(await replay(folder)).toEqual([])
    for (const name of ['exchanges.jsonl', 'run.json', `tables/${configId}.items`, 'bodies/1'])
      expect(await readFile(join(folder, name), 'utf8')).not.toContain(SECRET)
  })
  const texts = await workTexts()
  expect(texts).toContain('"x-echo":"***"')
  expect(texts).not.toContain(SECRET)
  expect(await filesOf('bad')).toEqual([])
})

it('a run that fails is kept beside the last good one, and its replay fails alike', async () => {
  await extraction.run(configId)
  isBroken = true
  await extraction.run(configId)
  const [good, bad] = await Promise.all([filesOf('good'), filesOf('bad')])
  expect([good.length, bad.length]).toEqual([1, 1])
  await withUnpacked(bad[0]?.id ?? 0, async folder => {
    expect((await readRun(folder)).outcome).toMatchObject({ error: { code: 'extractor.response.status' } })
    expect(await replay(folder)).toEqual([])
    expect(await readFile(join(folder, 'bodies/1'), 'utf8')).toBe('{"why":"***"}')
  })
})

it('a run that keeps windows from before it failed is kept with their tables and their state', async () => {
  const windowed = await startApi(({ query }, response) => {
    if (query.get('since')?.startsWith('2026-01-02') === true) response.statusCode = 403
    return [{ id: 1, at: '2026-01-01T05:00:00Z' }]
  })
  const incremental = {
    cursor: 'at',
    param: 'since',
    until: 'until',
    start: '2026-01-01',
    step: 'P1D',
    end: '2026-01-03',
  }
  const people = { endpoint: 'people', id: 'people', primaryKey: ['id'], incremental }
  await extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: `${configId}w`,
    name: 'windowed',
    configuration: {
      keepRecordings: true,
      parameters: {
        api: { baseUrl: `${windowed.origin}/`, http: { maxConcurrency: 1 } },
        config: { '#token': SECRET, outputBucket: configId, jobs: [people] },
      },
    },
  })
  configId = `${configId}w`
  const { end } = await extraction.run(configId)
  await windowed.close()
  expect(end.result).toMatchObject({ status: 'error', rowsLoaded: 1 })
  const { body } = await extraction.service.call(
    'GET',
    `/v2/storage/components/ex-generic-v2/configs/${configId}`,
  )
  const [bad] = await filesOf('bad')
  await withUnpacked(bad?.id ?? 0, async folder => {
    expect((await readRun(folder)).outcome).toMatchObject({ kept: { state: body.state } })
    expect(await readdir(join(folder, 'tables'))).toHaveLength(2)
    expect(await replay(folder)).toEqual([])
  })
})

it('of each there is one: the newest', async () => {
  await extraction.run(configId)
  const [first] = await filesOf('good')
  await extraction.run(configId)
  const after = await filesOf('good')
  expect(after).toHaveLength(1)
  expect(after[0]?.id).not.toBe(first?.id)
})

it('a run with too large answers ends well, unrecorded, and says so', async () => {
  bytesEach = 12 * 1024 ** 2
  pages = 3
  const { end } = await extraction.run(configId)
  expect(end.result).toMatchObject({
    status: 'success',
    rows: [{ rowsLoaded: pages, warnings: [expect.stringContaining('was not recorded')] }],
  })
  expect(await filesOf('good')).toEqual([])
})

it('who keeps the recording being down does not fail the run', async () => {
  const { stackStorage } = extraction.services()
  const down = async (): Promise<never> => {
    throw new Error('503')
  }
  const settings = { stackStorage: { ...stackStorage, prepareFile: down } }
  const { end } = await extraction.run(configId, { settings })
  expect(end.result).toMatchObject({ status: 'success' })
  expect(extraction.logged.map(({ message }) => message)).toContain('recording not kept')
})
