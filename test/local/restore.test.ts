import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DeleteObjectCommand, ListObjectVersionsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { poll } from '#support/poll.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { randomFrom } from '../support/random.ts'
import { serveScans } from '../support/scanned-items.ts'
import { runs } from '../support/thorough.ts'

const dataDir = folderUntilEnd()

const cloud = await untilEnd(startCloud({ dataDir, context: { tableVersionDays: 7 } }))
const s3 = await untilEnd(s3Of(cloud))
const dynamo = await untilEnd(serveScans(join(dataDir, 'items', 'items.db')))
const outputs = cloud.describeOutputs()
const itemTable = outputs['ItemTable'] ?? ''
const tablesBucket = outputs['TablesBucket'] ?? ''

const api = callerOf(() => cloud)

const job = async (method: string, path: string, body?: object) => {
  const { id } = await api(method, path, body)
  const ended = await poll(
    () => api('GET', `jobs/${id}`),
    ({ status }) => status === 'success' || status === 'error',
  )
  expect(ended).toMatchObject({ status: 'success' })
  return ended
}

const load = (bucketId: string, name: string, dataString: string) =>
  api('POST', `buckets/${bucketId}/tables`, { name, dataString, primaryKey: 'id' })

const csv = (mark: string, rows: number): string =>
  `id,mark\n${Array.from({ length: rows }, (_, index) => `${index},${mark}\n`).join('')}`

const TABLES = ['one', 'two', 'three']
const COMPONENT = 'components/ex-generic-v2/configs'

/** All that a user sees of a bucket of tables and of a configuration with a text too long for an item. */
const seen = async (bucketId: string): Promise<unknown> => {
  const tables = await api('GET', `buckets/${bucketId}/tables?include=columns`)
  const rowsOf = async ({ id }: { id: string }) => {
    const { rows } = await api('GET', `tables/${id}/data-preview?format=json&limit=1000`)
    return rows.map((row: { value: string }[]) => row.map(({ value }) => value).join()).toSorted()
  }
  const names = tables.map(({ id }: { id: string }) => id)
  const { configuration } = await api('GET', `${COMPONENT}/${bucketId}`)
  return { names, rows: await Promise.all(tables.map(rowsOf)), configuration }
}

const makeBucket = async (name: string): Promise<string> => {
  const { id } = await api('POST', 'buckets', { name })
  for (const table of TABLES) await load(id, table, csv('first', 40))
  await job('DELETE', `tables/${id}.one/rows?whereColumn=id&whereValues[]=7`)
  await job('POST', `tables/${id}.two/snapshots`, { description: 'kept' })
  await api('POST', COMPONENT, {
    configurationId: id,
    name,
    configuration: { parameters: { note: 'long '.repeat(100_000) } },
  })
  return id
}

const deleteObjects = async (isChosen: (key: string) => boolean): Promise<number> => {
  let deleted = 0
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: tablesBucket }))
    for (const { Key = '' } of Contents.filter(({ Key: key = '' }) => isChosen(key))) {
      await s3.send(new DeleteObjectCommand({ Bucket: tablesBucket, Key }))
      deleted++
    }
  return deleted
}

const keysOf = (table: string) => dynamo.items(table).map(({ pk, sk }) => `${pk} ${sk}`)

/** What a recovery to a point in time leaves: a table beside the other one, with its items of then. */
const itemsOfThen = (name: string): string => {
  dynamo.write(name, dynamo.items(itemTable))
  return name
}

const internalIdOf = (bucketId: string, name: string): unknown =>
  dynamo.items(itemTable).find(({ pk, sk }) => String(pk).endsWith(bucketId) && sk === `TABLE#${name}`)?.[
    'internalId'
  ]

interface Report {
  applied: boolean
  broughtBack: string[]
  items?: { written: number; deleted: number }
  lost?: { by: string; key: string }[]
}

/** The script of docs/backup.md, as an operator runs it. */
const restore = async (...args: string[]) => {
  const script = join(import.meta.dirname, '../../docs/restore.ts')
  const named = ['--item-table', itemTable, '--tables-bucket', tablesBucket]
  const env = {
    ...process.env,
    AWS_REGION: cloud.region,
    AWS_ACCESS_KEY_ID: cloud.accessKeyId,
    AWS_SECRET_ACCESS_KEY: cloud.secretAccessKey,
    AWS_ENDPOINT_URL_S3: cloud.s3,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
  }
  return new Promise<{ code: unknown; stderr: string; report: Report }>(resolve =>
    execFile(process.execPath, [script, ...named, ...args], { env }, (error, stdout, stderr) =>
      resolve({
        code: error ? error.code : 0,
        stderr,
        report: stdout === '' ? undefined : JSON.parse(stdout),
      }),
    ),
  )
}

const seeds = Array.from({ length: runs(6) }, (_, index) => index + 1)

it.each(seeds)('what was deleted at random comes back (seed %i)', async seed => {
  const random = randomFrom(seed)
  const bucketId = await makeBucket(`random-${seed}`)
  const before = await seen(bucketId)
  const then = itemsOfThen(`then-${seed}`)

  await load(bucketId, 'later', csv('later', 3))
  await api('DELETE', `tables/${bucketId}.three`)
  const objects = await deleteObjects(() => random() < 0.4)
  dynamo.delete(
    itemTable,
    dynamo.items(itemTable).filter(() => random() < 0.3),
  )
  expect(objects).toBeGreaterThan(5)

  const dry = await restore('--items', then)
  expect(dry).toMatchObject({ code: 0, stderr: '', report: { applied: false } })
  expect(dry.report.broughtBack.length).toBeGreaterThan(0)
  expect(dry.report.items?.deleted).toBeGreaterThan(0)
  expect(await deleteObjects(key => dry.report.broughtBack.includes(key))).toBe(0)

  const late = keysOf(itemTable)
  expect(await restore('--items', then, '--apply')).toMatchObject({ code: 0, report: { applied: true } })
  const [now, wanted] = [keysOf(itemTable), keysOf(then)]
  expect(wanted.filter(key => !now.includes(key))).toEqual([])
  // Functions that look each minute may write meanwhile: what counts is that nothing later has stayed.
  expect(now.filter(key => late.includes(key) && !wanted.includes(key))).toEqual([])
  expect(await seen(bucketId)).toEqual(before)
  expect((await restore('--apply')).report).toMatchObject({ lost: [] })
})

it('names what is lost for good, and brings back the rest', async () => {
  const bucketId = await makeBucket('lost')
  await deleteObjects(() => true)
  const { report } = await restore()
  const internalId = internalIdOf(bucketId, 'two')
  const gone = report.broughtBack.find(
    (key: string) => key.startsWith(`tables/${internalId}/`) && key.endsWith('.parquet'),
  )
  const listed = new ListObjectVersionsCommand({ Bucket: tablesBucket, Prefix: gone })
  const versions = await s3.send(listed)
  for (const { Key, VersionId } of [...(versions.Versions ?? []), ...(versions.DeleteMarkers ?? [])])
    await s3.send(new DeleteObjectCommand({ Bucket: tablesBucket, Key, VersionId }))
  expect(await restore('--apply')).toMatchObject({
    code: 1,
    report: { lost: [{ key: gone }] },
  })
  const { configuration } = await api('GET', `${COMPONENT}/${bucketId}`)
  expect(configuration.parameters.note).toHaveLength(500_000)
  const previews = TABLES.map(name => api('GET', `tables/${bucketId}.${name}/data-preview?format=json`))
  expect((await Promise.all(previews)).filter(({ rows }) => rows?.length > 30)).toHaveLength(2)
})

it('says which table it cannot find', async () => {
  expect(await restore('--items', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ResourceNotFoundException'),
  })
})
