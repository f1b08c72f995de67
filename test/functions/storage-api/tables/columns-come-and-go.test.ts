import { describe, expect, it } from 'vitest'
import { eventually } from '#support/eventually.ts'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, load, rowsOf } = await startTableRoutes()

const FIRST = 'id,city,total\n1,Prague,10\n2,Brno,20\n'

const loads = { replace: {}, add: { incremental: 1 }, key: { incremental: 1 } } as const
type Kind = keyof typeof loads

/** The table after a second day's file, or why it is refused; and what its job says. */
const secondDay = async (
  kind: Kind,
  day: string,
  { typed = false, ...fields }: { typed?: boolean; missingColumns?: string } = {},
) => {
  const name = newName()
  const tableId = `${bucketId}.${name}`
  const primaryKey = kind === 'key' ? ['id'] : []
  if (typed) {
    const basetypes = { id: 'INTEGER', city: 'STRING', total: 'NUMERIC' }
    const columns = Object.entries(basetypes).map(([column, basetype]) => ({
      name: column,
      basetype,
      // A number that must be there.
      ...(column === 'city' && { definition: { type: 'VARCHAR', nullable: false, default: 'nowhere' } }),
    }))
    const body = { name, columns, primaryKeysNames: primaryKey }
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, body)
    await load(tableId, { dataFileId: await service.upload(FIRST) })
  } else await service.createTable(bucketId, name, FIRST, { primaryKey: primaryKey.join() })
  const dataFileId = await service.upload(day)
  const { body: job } = await load(tableId, { dataFileId, ...loads[kind], ...fields })
  if (job.status === 'error') return { refused: `${job.error.code}: ${job.error.message}` }
  // The event of a job comes after its end.
  await eventually(async () => {
    const [event] = (await service.call('GET', `/v2/storage/events?objectId=${tableId}`)).body
    expect(event.description).toBe(job.results.warnings.join('\n'))
  })
  return { rows: await rowsOf(tableId), warnings: job.results.warnings }
}

const gone = 'The file has no city: empty in its rows.'
const old = ['"1","Prague","10"', '"2","Brno","20"']

describe('a file without a column of the table', () => {
  it.each<[Kind, boolean, string[]]>([
    ['replace', false, ['"2","","21"', '"3","","30"']],
    ['add', false, [...old, '"2","","21"', '"3","","30"']],
    ['replace', true, ['"2","nowhere","21.000000000"', '"3","nowhere","30.000000000"']],
  ])('loads by %s, typed %s, with it empty', async (kind, typed, rows) => {
    const found = await secondDay(kind, 'total,id\n21,2\n30,3\n', { typed, missingColumns: 'empty' })
    expect(found).toEqual({ rows: rows.toSorted(), warnings: [gone] })
  })

  it.each([false, true])('is NULL where it is typed: %s', async typed => {
    const { rows } = await secondDay('add', 'id,city\n3,Ostrava\n', { typed, missingColumns: 'empty' })
    expect(rows).toContain(typed ? '"3","Ostrava",' : '"3","Ostrava",""')
  })

  it.each<[Kind, string, string, string]>([
    ['key', 'empty', 'id,total\n2,21\n', 'rows that are there would lose what they hold'],
    ['key', 'empty', 'city,total\nBrno,21\n', 'The primary key has id'],
    ['key', 'emptyByKey', 'city,total\nBrno,21\n', 'The primary key has id'],
    ['replace', 'empty', 'a;b\n1;2\n', 'Missing columns: id,city,total.'],
    ['add', 'empty', 'a,b\n1,2\n', 'Missing columns: id,city,total.'],
  ])('by %s with %s: %j is refused', async (kind, missingColumns, day, words) => {
    const { refused } = await secondDay(kind, day, { missingColumns })
    expect(refused).toMatch(/^csvImport\.columnsNotMatch/)
    expect(refused).toContain(words)
  })

  it('of an extraction is empty by key, too: an item is its whole row', async () => {
    expect(await secondDay('key', 'id,total\n2,21\n', { missingColumns: 'emptyByKey' })).toEqual({
      rows: ['"1","Prague","10"', '"2","","21"'],
      warnings: [gone],
    })
  })

  it.each<Kind>(['replace', 'add', 'key'])(
    'of a client is refused by %s, as the specification says',
    async kind => {
      expect((await secondDay(kind, 'id,total\n2,21\n')).refused).toMatch(
        /^csvImport\.columnsNotMatch: Some columns are missing in the csv file\. .* Please check if the expected delimiter/,
      )
    },
  )

  it.each<[Kind, string[]]>([
    ['replace', ['"2","","21","x"']],
    ['add', ['"1","Prague","10",""', '"2","","21","x"', '"2","Brno","20",""']],
  ])('may bring others, by %s: both are said', async (kind, rows) => {
    const day = 'id,total,note\n2,21,x\n'
    expect(await secondDay(kind, day, { missingColumns: 'empty' })).toEqual({
      rows,
      warnings: [gone, 'New columns of the table: note.'],
    })
  })
})
