import { createReadStream } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { listSlices } from '../../functions/lib/storage/files/list-slices.ts'
import { readParquet } from '../../functions/lib/table-engine/duckdb/parquet-sql.ts'
import { quoteLiteral } from '../../functions/lib/table-engine/duckdb/sql.ts'
import type { Api } from '../connect/api.ts'
import { segment } from '../connect/options.ts'
import { liveLine } from '../shell/progress.ts'
import type { Shell } from '../shell/shell.ts'
import { connectStorage, type StorageConnection } from '../transfer/connect-storage.ts'
import { MIN_TEXT_LENGTH, type TextFinder, textFinder } from './text-finder.ts'

export interface Person {
  columns: readonly string[]
  values: readonly string[]
}

/** Where data of a person is, or may be. */
export interface Trace {
  kind: 'table' | 'snapshot' | 'file' | 'letter' | 'configuration' | 'event' | 'job'
  id: string
  /** Of a table or a snapshot: its branch, and the named columns that it has. */
  branch?: number
  columns?: string[]
  table?: string
  /** How many rows hold one of the values; `null`: too many to count. */
  rows?: number | null
  /** Of a file: why nobody could look into it. */
  unread?: string
  about: string
}

const listed = z.object({ id: z.union([z.string(), z.number()]) })
const listedTable = z.object({
  id: z.string(),
  isAlias: z.boolean(),
  columns: z._default(z.array(z.string()), []),
  bucket: z.optional(z.object({ idBranch: z._default(z.int(), 0) })),
})
const branchList = z.array(z.object({ id: z.int(), isDefault: z.boolean() }))
const listedFile = z.object({ id: z.int(), name: z.string(), tags: z.array(z.string()), created: z.string() })
const counted = z.object({ rowsCount: z.int() })
const version = z.looseObject({ version: z.int() })
const components = z.array(
  z.object({ id: z.string(), configurations: z.array(z.looseObject({ id: z.string() })) }),
)

/** Everything that holds one of the values, as far as the API shows it. It changes nothing. */
export const findTraces = async (person: Person, api: Api, shell: Shell): Promise<Trace[]> => {
  const line = liveLine(shell)
  try {
    const traces: Trace[] = []
    const branches = await api.get('dev-branches', branchList)
    for (const { id, isDefault } of branches.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault))) {
      line.show(`Looking at the tables of branch ${id}`)
      traces.push(...(await tracesInTables(person, api, isDefault ? undefined : id)))
    }
    const values = person.values.filter(({ length }) => length >= MIN_TEXT_LENGTH)
    if (values.length === 0) return traces
    const finder = textFinder(values)
    traces.push(...(await tracesInFiles({ values, finder }, api, text => line.show(text))))
    line.show('Looking at configurations')
    for (const branch of branches)
      traces.push(
        ...(await tracesInConfigurations(finder.inJson, api, branch.isDefault ? undefined : branch.id)),
      )
    for (const [kind, path] of [
      ['letter', 'dead-letters'],
      ['event', 'events'],
      ['job', 'jobs'],
    ] as const) {
      line.show(`Looking at ${path}`)
      for await (const item of everyItem(api, path, z.looseObject(listed.shape))) {
        const { message, operationName, created, createdTime } = item
        const about = [created ?? createdTime, message ?? operationName].filter(Boolean).join(', ')
        if (finder.inJson(item))
          traces.push({ kind, id: String(item.id), about: finder.inJson(about) ? '' : about })
      }
    }
    return traces
  } finally {
    line.end()
  }
}

/** Of a branch only what is its own: the rest is the default branch's. */
async function tracesInTables(person: Person, api: Api, branch: number | undefined): Promise<Trace[]> {
  const below = branch === undefined ? '' : `branch/${branch}/`
  const tables = await api.get(`${below}tables?include=columns,buckets`, z.array(listedTable))
  const traces: Trace[] = []
  for (const { id, isAlias, columns: all, bucket } of tables) {
    const columns = person.columns.filter(column => all.includes(column))
    if (isAlias || columns.length === 0 || (branch !== undefined && bucket?.idBranch !== branch)) continue
    const at = { ...(branch !== undefined && { branch }), columns }
    const path = `${below}tables/${segment(id)}`
    const rows = await countRows(api, path, { columns, values: person.values })
    traces.push({ kind: 'table', id, ...at, rows, about: branch === undefined ? '' : `in branch ${branch}` })
    for await (const snapshot of everyItem(api, `${path}/snapshots`, snapshotOf)) {
      const then = columns.filter(column => snapshot.table.columns.includes(column))
      const kept = await countRows(api, path, { columns: then, values: person.values }, snapshot.id)
      if (kept !== 0)
        traces.push({ kind: 'snapshot', id: snapshot.id, ...at, table: id, rows: kept, about: `of ${id}` })
    }
  }
  return traces
}

const snapshotOf = z.object({ id: z.string(), table: z.object({ columns: z.array(z.string()) }) })

/** A row that holds values in two columns counts twice. */
const countRows = async (
  api: Api,
  path: string,
  { columns, values }: Person,
  snapshotId?: string,
): Promise<number | null> => {
  let rows = 0
  for (const column of columns) {
    const asked = new URLSearchParams([
      ['format', 'json'],
      ['countRows', '1'],
      ['limit', '1'],
      ['whereColumn', column],
    ])
    for (const value of values) asked.append('whereValues[]', value)
    if (snapshotId !== undefined) asked.set('snapshotId', snapshotId)
    try {
      rows += (await api.get(`${path}/data-preview?${asked}`, counted)).rowsCount
    } catch (error) {
      if (error instanceof UserError && error.code === 'storage.preview.tooLarge') return null
      throw error
    }
  }
  return rows
}

async function tracesInFiles(
  sought: Parameters<typeof fileHolds>[2],
  api: Api,
  show: (text: string) => void,
): Promise<Trace[]> {
  const connection = connectStorage(api.address)
  const traces: Trace[] = []
  try {
    for await (const file of everyItem(api, 'files', listedFile)) {
      show(`Looking at file ${file.id}`)
      const about = [sought.finder.inJson(file.name) ? '' : file.name, ...file.tags]
        .filter(Boolean)
        .join(', ')
      const found =
        sought.finder.inJson(file.name) || (await fileHolds(file, connection, sought).catch(whyUnread))
      if (found)
        traces.push({
          kind: 'file',
          id: String(file.id),
          ...(typeof found === 'string' && { unread: found }),
          about,
        })
    }
  } finally {
    connection.close()
  }
  return traces
}

/** False: it was prepared and never sent, so it has no object. */
const whyUnread = (error: unknown): string | false => {
  const { name, message } = error as Error // what clients throw
  return name === 'NoSuchKey' || name === 'NotFound' ? false : `it could not be read (${message})`
}

async function tracesInConfigurations(
  holds: (value: unknown) => boolean,
  api: Api,
  branch: number | undefined,
): Promise<Trace[]> {
  const below = branch === undefined ? '' : `branch/${branch}/`
  const about = branch === undefined ? '' : `in branch ${branch}`
  const traces: Trace[] = []
  const include = 'include=configuration,rows,state'
  for (const component of await api.get(`${below}components?${include}`, components))
    for (const configuration of component.configurations) {
      const place = `${component.id}/${configuration.id}`
      const found = holds(configuration) ? ['as it is now'] : []
      const path = `${below}components/${component.id}/configs/${segment(configuration.id)}/versions`
      for await (const each of everyItem(api, `${path}?include=configuration,rows`, version))
        if (holds(each)) found.push(`version ${each.version}`)
      if (found.length > 0)
        traces.push({
          kind: 'configuration',
          id: place,
          about: [about, found.join(', ')].filter(Boolean).join(': '),
        })
    }
  for (const component of await api.get(`${below}components?isDeleted=1&${include}`, components))
    for (const configuration of component.configurations)
      if (holds(configuration))
        traces.push({
          kind: 'configuration',
          id: `${component.id}/${configuration.id}`,
          about: 'in the trash',
        })
  return traces
}

const ITEMS_AT_ONCE = 1000

/** Lists that go on below an id cost what they list. */
const BY_ID = new Set(['files', 'events', 'jobs', 'dead-letters'])

/** All items of a list, page by page. A page may be cut before its limit, so only an empty one is the last. */
async function* everyItem<Item extends object>(
  api: Api,
  path: string,
  schema: z.ZodMiniType<Item>,
): AsyncGenerator<Item> {
  const asked = `${path}${path.includes('?') ? '&' : '?'}limit=${ITEMS_AT_ONCE}`
  let seen = 0
  for (let from = ''; ; ) {
    const items = await api.get(`${asked}${from}`, z.array(schema))
    if (items.length === 0) return
    yield* items
    seen += items.length
    from = BY_ID.has(path) ? `&maxId=${z.parse(listed, items.at(-1)).id}` : `&offset=${seen}`
  }
}

/** Whether a file of the service holds one of the values: text, compressed or not, and Parquet. */
const fileHolds = async (
  { id }: { id: number },
  { storage, s3For }: StorageConnection,
  { values, finder }: { values: readonly string[]; finder: TextFinder },
): Promise<boolean> => {
  const file = await storage.file(id)
  const slices = await listSlices({ s3: s3For(file), ...file.s3Path, isSliced: file.isSliced })
  for (const { s3, bucket, key } of slices) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    if (!Body) continue
    const isFound = await onDisk(Body as Readable, async (path, head) => {
      // the Node client gives a stream of Node
      if (head.subarray(0, 4).toString() === 'PAR1') return parquetHolds(path, values)
      const bytes = createReadStream(path)
      const isGzip = head[0] === 0x1f && head[1] === 0x8b
      const content = isGzip ? bytes.pipe(createGunzip()) : bytes
      return finder.inBytes(content)
    })
    if (isFound) return true
  }
  return false
}

const onDisk = async <Result>(
  body: Readable,
  look: (path: string, head: Buffer) => Promise<Result>,
): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-erase-'))
  try {
    const path = join(folder, 'file')
    await writeFile(path, body, { mode: 0o600 })
    const [head = Buffer.alloc(0)] = await Array.fromAsync(createReadStream(path, { end: 3 }))
    return await look(path, head)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const parquetHolds = async (path: string, values: readonly string[]): Promise<boolean> => {
  const { openDuckDbSession } = await import('../../functions/lib/table-engine/duckdb/duckdb-session.ts')
  const session = await openDuckDbSession({
    scratchDir: dirname(path),
    memoryLimitMiB: PARQUET_MIB,
    threads: 1,
  })
  try {
    // It sees no file but those of its own folder.
    const own = session.scratchPath('file.parquet')
    await rename(path, own)
    const holds = values.map(value => `contains(CAST(file_rows AS VARCHAR), ${quoteLiteral(value)})`)
    const found = await session.query(
      `SELECT 1 FROM ${readParquet([own])} AS file_rows WHERE ${holds.join(' OR ')} LIMIT 1`,
    )
    return found.length > 0
  } finally {
    await session.close()
  }
}

const PARQUET_MIB = 512
