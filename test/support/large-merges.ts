import type { StorageService } from './storage-service.ts'

interface Load {
  csv: string
  settings?: Record<string, unknown>
}

/** Loads into one table, of which every one after the first is merged by an engine where loads are large. */
interface MergeCase {
  name: string
  /** Definition of a typed table, in place of the first load's making one. */
  definition?: { primaryKeysNames: string[]; columns: { name: string; definition: object }[] }
  /** Keys whose rows are deleted before the last load. */
  deleted?: { column: string; values: string[] }
  loads: Load[]
  /** One more, which one function merges into what the engine has made. */
  later?: Load
}

const lines = (from: number, to: number, note: string): string =>
  Array.from({ length: to - from }, (_, index) => `${from + index},"${note} ${from + index}"\n`).join('')

const keyed = { primaryKey: 'id' }
const adds = { incremental: 1 }

export const mergeCases: readonly MergeCase[] = [
  {
    name: 'new, changed and equal rows, and keys that come twice',
    loads: [
      { csv: `id,note\n${lines(0, 60, 'first')}`, settings: keyed },
      {
        csv: `id,note\n${lines(40, 80, 'second')}${lines(50, 52, 'third')}${lines(0, 10, 'first')}`,
        settings: adds,
      },
      { csv: `id,note\n${lines(70, 90, 'fourth')}${lines(50, 51, 'fourth')}`, settings: adds },
    ],
    later: { csv: `id,note\n50,later\n200,later\n`, settings: adds },
  },
  {
    name: 'rows that were deleted before',
    deleted: { column: 'id', values: ['3', '4', '50'] },
    loads: [
      { csv: `id,note\n${lines(0, 60, 'first')}`, settings: keyed },
      { csv: `id,note\n${lines(4, 8, 'second')}${lines(55, 70, 'second')}`, settings: adds },
    ],
  },
  {
    name: 'empty keys, keys of two columns, names that need quotes',
    loads: [
      { csv: 'a,B b,filename\n,1,x\n1,,y\n"q""q",2,z\n', settings: { primaryKey: 'a,B b' } },
      { csv: 'a,B b,filename\n,1,changed\n1,,y\n,2,new\n"q""q",2,changed\n', settings: adds },
    ],
  },
  {
    name: 'a column that comes with the load, empty in rows of before',
    loads: [
      { csv: `id,note\n${lines(0, 20, 'first')}`, settings: keyed },
      { csv: 'id,note,more\n0,first 0,\n1,first 1,x\n30,new,y\n', settings: adds },
    ],
  },
  {
    name: 'a table that is replaced',
    loads: [
      { csv: `id,note\n${lines(0, 20, 'first')}`, settings: keyed },
      { csv: `id,note\n${lines(10, 30, 'second')}${lines(12, 13, 'third')}` },
    ],
  },
  {
    name: 'columns with types, and NULL',
    definition: {
      primaryKeysNames: ['id'],
      columns: [
        { name: 'id', definition: { type: 'INTEGER', nullable: false } },
        { name: 'price', definition: { type: 'NUMERIC', length: '12,2' } },
        { name: 'at', definition: { type: 'TIMESTAMP_TZ' } },
        { name: 'day', definition: { type: 'DATE' } },
        { name: 'is_new', definition: { type: 'BOOLEAN' } },
        { name: 'ratio', definition: { type: 'FLOAT' } },
      ],
    },
    loads: [
      {
        csv: 'id,price,at,day,is_new,ratio\n1,1.50,2026-01-01 10:00:00+00:00,2026-01-01,true,0.5\n2,,,,,\n3,2.00,2026-01-02 00:00:00+02:00,2026-01-02,false,1e300\n',
        settings: adds,
      },
      {
        csv: 'id,price,at,day,is_new,ratio\n1,1.5,2026-01-01 10:00:00+00:00,2026-01-01,true,0.5\n2,7,,,,\n4,,2026-02-01 00:00:00.123456+00:00,,,\n3,2.00,2026-01-02 00:00:00+02:00,,false,1e300\n',
        settings: adds,
      },
    ],
    later: {
      csv: 'id,price,at,day,is_new,ratio\n4,9.99,,,true,\n2,7,,,,\n',
      settings: adds,
    },
  },
]

const SMALL = Number.MAX_SAFE_INTEGER

/**
 * What the loads of a case answer and leave, done by functions alone or by the engine: rows in the order of their keys, and
 * which of them the last load has changed.
 */
export const playMerges = async (
  service: StorageService,
  bucketId: string,
  { definition, deleted, loads, later }: MergeCase,
  { name, isLarge }: { name: string; isLarge: boolean },
) => {
  const { distribution } = service.jobServices
  const tableId = `${bucketId}.${name}`
  const answers: unknown[] = []
  const load = async ({ csv, settings }: Load, isFirst: boolean) => {
    const dataFileId = await service.upload(csv)
    const { body } = await (isFirst
      ? service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
          name,
          dataFileId,
          ...settings,
        })
      : service.call('POST', `/v2/storage/tables/${tableId}/import-async`, { dataFileId, ...settings }))
    const { totalRowsCount, replacedRowsCount, importedRowsCount } = body.results ?? {}
    answers.push({
      status: body.status,
      message: body.error?.message,
      totalRowsCount,
      replacedRowsCount,
      importedRowsCount,
    })
  }
  if (definition)
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, { name, ...definition })
  const last = loads.length - 1
  for (const [index, each] of loads.entries()) {
    if (index === last && deleted)
      await service.call(
        'DELETE',
        `/v2/storage/tables/${tableId}/rows?whereColumn=${deleted.column}&${deleted.values.map(value => `whereValues[]=${value}`).join('&')}`,
      )
    const isFirst = index === 0 && !definition
    distribution.singleLoadBytes = isLarge && !isFirst ? 1 : SMALL
    distribution.singleMergeBytes = isLarge && !isFirst ? 1 : SMALL
    await load(each, isFirst)
  }
  distribution.singleLoadBytes = SMALL
  distribution.singleMergeBytes = SMALL
  const read = async () => {
    const table = await service.stores.tables.get(tableId)
    if (!table) throw new Error(`There is no table ${tableId}`)
    const engine = await service.jobServices.tableEngine()
    const all = await engine.preview(table.snapshot, { limit: 1000 })
    const changed = await engine.preview(table.snapshot, {
      limit: 1000,
      changedSince: new Date(table.lastImportDate ?? 0),
    })
    return {
      columns: all.columns,
      rows: all.rows.map(row => JSON.stringify(row)).toSorted(),
      changed: changed.rows.map(row => JSON.stringify(row)).toSorted(),
      rowsCount: table.snapshot.rowsCount,
    }
  }
  const merged = await read()
  if (later) await load(later, false)
  return { answers, merged, ...(later && { afterwards: await read() }) }
}
