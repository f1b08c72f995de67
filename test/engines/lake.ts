import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { formatLongJson, parseLongJson } from '#lib/iceberg/metadata/long-json.ts'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { Smoke } from '../smoke/smoke-context.ts'

/** A table as an engine must see it. */
export interface LakeTable {
  id: string
  name: string
  namespace: string
  /** As it is typed in SQL. */
  table: string
  columns: { name: string; type: string }[]
  /** Cells of the export. */
  rows: string[][]
  /** The first column of each snapshot that is in the history, as the head showed it. */
  snapshots: { id: string; timeMs: number; ids: string[] }[]
  isAppendOnly: boolean
}

interface Step {
  csv?: string
  settings?: Record<string, unknown>
  /** Another request that makes a job: method, path below the table, body. */
  request?: [string, string, object?]
}

interface Kind {
  name: string
  definition?: { columns: unknown[]; primaryKeysNames?: string[] }
  steps: Step[]
  isAppendOnly?: boolean
}

const add = { incremental: 1 }
const key = { primaryKey: 'id' }
const csv = (from: number, to: number, note: string): string =>
  `id,note\n${Array.from({ length: to - from }, (_, index) => `${from + index},${note}\n`).join('')}`
const loads = (count: number, settings = {}): Step[] =>
  Array.from({ length: count }, (_, index) => ({
    csv: csv(index * 3, index * 3 + 3, `n${index}`),
    settings: index === 0 ? settings : add,
  }))
const wide = Array.from(
  { length: 30_000 },
  (_, index) => `${index},"Zürich ☃ ${index}, ""q""\n${'ž'.repeat(index % 40)}"\n`,
)

/** Every kind of table that the acceptance tests make; what is loaded as one file above 512 KiB is cut and staged. */
const kinds: Kind[] = [
  { name: 'unicode', steps: [{ csv: `id,note\n${wide.join('')}` }] },
  { name: 'merged', steps: [{ csv: `id,note\n${wide.join('')}`, settings: key }, { csv: `id,note\n${wide.slice(9, 20_000).join('')}` }, { csv: csv(5, 25, 'again'), settings: add }] },
  { name: 'small loads', isAppendOnly: true, steps: loads(20) },
  { name: 'small loads by key', isAppendOnly: true, steps: loads(20, key) },
  { name: 'changed by key', steps: [{ csv: csv(0, 400, 'a'), settings: key }, { csv: csv(10, 15, 'b'), settings: add }, { csv: csv(390, 410, 'c'), settings: add }] },
  { name: 'rows deleted', steps: [{ csv: csv(0, 300, 'a'), settings: key }, { request: ['DELETE', '/rows?whereColumn=id&whereValues[]=7&whereValues[]=9'] }] },
  { name: 'columns dropped and added', steps: [{ csv: 'id,a,b\n1,x,y\n2,x,y\n' }, { request: ['DELETE', '/columns/a'] }, { request: ['POST', '/columns', { name: 'a' }] }, { csv: 'id,b,a\n3,y,z\n', settings: add }] },
  { name: 'emptied', steps: [{ csv: csv(0, 9, 'a') }, { request: ['DELETE', '/rows?allowTruncate=1'] }, { csv: csv(5, 7, 'b'), settings: add }] },
  { name: 'Names-With.Odd order', steps: [{ csv: 'order,Group by,Ünï\n1,2,3\n,,\n' }] },
  { name: 'without rows', steps: [{ csv: 'id,note\n' }] },
  {
    name: 'typed',
    definition: {
      primaryKeysNames: ['id'],
      columns: [
        { name: 'id', definition: { type: 'INTEGER', nullable: false } },
        { name: 'small', definition: { type: 'DECIMAL', length: '6,3' } },
        { name: 'rate', basetype: 'FLOAT' },
        { name: 'ok', basetype: 'BOOLEAN' },
        { name: 'day', basetype: 'DATE' },
        { name: 'at', basetype: 'TIMESTAMP' },
        { name: 'seen', definition: { type: 'TIMESTAMP_TZ' } },
        { name: 'note', basetype: 'STRING' },
      ],
    },
    steps: [
      { csv: 'id,small,rate,ok,day,at,seen,note\n1,1.5,0.25,true,2026-01-31,2026-01-31 10:00:00.123456,2026-01-31 10:00:00+02:00,ž\n2,,,,,,,\n3,-999.999,1e300,false,1969-12-31,1969-12-31 23:59:59.999999,1969-12-31 23:59:59Z,x\n', settings: add },
      { csv: 'id,small,rate,ok,day,at,seen,note\n2,7,7,true,2026-02-28,,,"a,b"\n', settings: add },
    ],
  },
] // biome-ignore format: one step, one line

const loaded = z.object({ 'metadata-location': z.string(), metadata: z.unknown() })

/** What an engine wrote of a table, as files or folders of Parquet: loaded again, it has the cells of the table. */
export const loadWritten = async (
  { job, service }: Smoke,
  { table, paths, bucketId }: { table: LakeTable; paths: string[]; bucketId: string },
): Promise<string> => {
  const [first, ...others] = await Promise.all(paths.map(path => readFile(path)))
  if (!first) throw new Error('no file was written')
  const dataFileId = await service.upload(others.length === 0 ? first : [first, ...others], {
    name: 'x.parquet',
  })
  const definition = kinds.find(kind => kind.name === table.name)?.definition
  const made = { name: `written-${randomUUID()}` }
  const tables = `buckets/${bucketId}/tables`
  const { id } = definition
    ? await job('POST', `${tables}-definition`, { ...made, ...definition }).then(({ results }) => results)
    : await job('POST', `${tables}-async`, { ...made, dataFileId }).then(({ results }) => results)
  if (definition) await job('POST', `tables/${id}/import-async`, { dataFileId, incremental: 1 })
  const inOrder = (rows: string[][]): string[] => rows.map(row => JSON.stringify(row)).toSorted()
  const [found, wanted] = [await exported({ job, service }, id), table.rows].map(inOrder)
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${found?.slice(0, 3)} instead of ${wanted?.slice(0, 3)}`)
  return `${paths.length} files, ${table.rows.length} rows`
}

export const namespaceOf = (bucketId: string): string => bucketId.replaceAll(/[.-]/g, '_').toLowerCase()

/** Makes the tables. The cells come from exports. */
export const makeLake = async (smoke: Smoke, bucketId: string): Promise<LakeTable[]> => {
  const tables: LakeTable[] = []
  for (const kind of kinds) tables.push(await makeTable(smoke, bucketId, kind))
  return tables
}

const makeTable = async (
  smoke: Smoke,
  bucketId: string,
  { name, definition, steps, isAppendOnly = false }: Kind,
): Promise<LakeTable> => {
  const { api, job, service } = smoke
  const table = name.replaceAll(/[^A-Za-z0-9_-]/g, '-')
  const id = `${bucketId}.${table}`
  if (definition) await job('POST', `buckets/${bucketId}/tables-definition`, { name: table, ...definition })
  const states = new Map<string, string[]>()
  const note = async () => {
    const metadata = await metadataOf(smoke, bucketId, table)
    const current = metadata['current-snapshot-id']
    if (current === undefined) return
    // A load that joins files makes two snapshots of one state.
    const known = metadata.snapshots.map(({ 'snapshot-id': each }) => String(each))
    const ids = (await exported(smoke, id)).map(([first = '']) => first).toSorted()
    for (const each of known) if (!states.has(each)) states.set(each, ids)
  }
  for (const [index, { csv: text, settings, request }] of steps.entries()) {
    if (request) await job(request[0], `tables/${id}${request[1]}`, request[2])
    else if (text !== undefined) {
      const dataFileId = await service.upload(text)
      if (index === 0 && !definition)
        await job('POST', `buckets/${bucketId}/tables-async`, { name: table, dataFileId, ...settings })
      else await job('POST', `tables/${id}/import-async`, { dataFileId, ...settings })
    }
    await note()
  }
  const metadata = await metadataOf(smoke, bucketId, table)
  const schema = metadata.schemas.find(each => each['schema-id'] === metadata['current-schema-id'])
  const { columns } = await api('GET', `tables/${id}`)
  return {
    id,
    name,
    namespace: namespaceOf(bucketId),
    table: table.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_'),
    columns: columns.map((column: string) => ({
      name: column,
      type: String(schema?.fields.find(field => field.name === column)?.type),
    })),
    rows: await exported(smoke, id),
    snapshots: metadata.snapshots.map(snapshot => ({
      id: String(snapshot['snapshot-id']),
      timeMs: snapshot['timestamp-ms'],
      ids: states.get(String(snapshot['snapshot-id'])) ?? [],
    })),
    isAppendOnly,
  }
}

/** The table of a development branch, which differs from that of the default branch. */
export const makeBranchTable = async (smoke: Smoke, bucketId: string): Promise<LakeTable> => {
  const { results } = await smoke.job('POST', 'dev-branches', { name: smoke.name })
  const place = `branch/${results.id}/tables/${bucketId}.changed-by-key`
  const dataFileId = await smoke.service.upload(csv(700, 705, 'branch'))
  await smoke.job('POST', `${place}/import-async`, { dataFileId, ...add })
  const { text } = await smoke.service.call('GET', `${place}/data-preview?limit=1000`)
  const types = ['id', 'note'].map(name => ({ name, type: 'string' }))
  return {
    id: '',
    name: 'of a branch',
    namespace: `branch_${results.id}_${namespaceOf(bucketId)}`,
    table: 'changed_by_key',
    columns: types,
    rows: parse(text, { from_line: 2 }),
    snapshots: [],
    isAppendOnly: false,
  }
}

const metadataOf = async ({ installation: { url, token } }: Smoke, bucketId: string, table: string) => {
  const path = `namespaces/${encodeURIComponent(bucketId)}/tables/${encodeURIComponent(table)}`
  const reply = await fetch(`${url}/iceberg/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text.slice(0, 300)}`)
  return parseMetadata(formatLongJson(loaded.parse(parseLongJson(text)).metadata))
}

const exported = async (
  { job, service }: Pick<Smoke, 'job' | 'service'>,
  id: string,
): Promise<string[][]> => {
  const { results } = await job('POST', `tables/${id}/export-async`, {})
  const slices = await service.downloadSlices(results.file.id)
  return slices.flatMap(slice => parse(slice, { skip_empty_lines: true }))
}
