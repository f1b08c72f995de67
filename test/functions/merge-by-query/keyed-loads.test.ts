import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pageSizes } from '#functions/sweep-storage/page.ts'
import { sweepStorage } from '#functions/sweep-storage/sweep-storage.ts'
import { glueTableName } from '#lib/iceberg/glue/glue-names.ts'
import { type StorageService, startStorageService } from '#support/storage-service.ts'
import { createTableViews } from '#support/table-views.ts'

const NEVER = Number.MAX_SAFE_INTEGER

let service: StorageService
let bucketId: string
beforeAll(async () => {
  service = await startStorageService({ hasAthena: true, rangeBytes: 200 })
  bucketId = await service.createBucket('main')
})
afterAll(() => service?.close())

/** Loads of more bytes than this are large, and so is every merge of them. */
const startAt = (bytes: number): void => {
  const { distribution } = service.jobServices
  distribution.singleLoadBytes = bytes
  distribution.singleMergeBytes = bytes === NEVER ? NEVER : 1
}

const namesInGlue = async (): Promise<string[]> => {
  const names: string[] = []
  for await (const { name } of service.stores.catalog?.list() ?? []) names.push(name)
  return names
}
const glueNameOf = async (tableId: string): Promise<string | undefined> =>
  (await service.stores.tables.getHead(tableId))?.glueName

/** Glue shows what the head names. */
const expectGlueAtHead = async (tableId: string, { tables } = service.stores.inBranch(1)): Promise<void> => {
  const head = await tables.getHead(tableId)
  const found = await service.stores.catalog?.find(head?.glueName ?? '')
  expect(found?.metadataLocation).toBe(`s3://${service.tablesBucket}/${head?.metadataKey}`)
}

interface Definition {
  columns: unknown[]
  primaryKeysNames?: string[]
  /** The key that the table gets once it is there. */
  laterKey?: string[]
}

interface Step {
  content: string
  settings?: Record<string, unknown>
}

const rowsOf = async (tableId: string, at = ''): Promise<string[]> => {
  const { text } = await service.call('GET', `/v2/storage/${at}tables/${tableId}/data-preview?limit=1000`)
  // Cells have line breaks; each row begins with a number.
  return text
    .trimEnd()
    .split(/\n(?="\d+")/)
    .slice(1)
    .toSorted()
}

const importInto = async (tableId: string, { content, settings }: Step, at = '') => {
  const dataFileId = await service.upload(content)
  return (
    await service.call('POST', `/v2/storage/${at}tables/${tableId}/import-async`, { dataFileId, ...settings })
  ).body
}
const createFrom = async (name: string, { content, settings }: Step, at = '') => {
  const dataFileId = await service.upload(content)
  const path = `/v2/storage/${at}buckets/${bucketId}/tables-async`
  return (await service.call('POST', path, { name, dataFileId, ...settings })).body
}

let tables = 0

/** What the jobs of a new table answer, and its rows in the end. */
const play = async (steps: Step[], bytes: number, definition?: Definition) => {
  const name = `t${++tables}`
  const tableId = `${bucketId}.${name}`
  startAt(bytes)
  const { laterKey, ...body } = definition ?? {}
  if (definition)
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, { name, ...body })
  if (laterKey) await service.call('POST', `/v2/storage/tables/${tableId}/primary-key`, { columns: laterKey })
  const answers: unknown[] = []
  for (const [index, step] of steps.entries()) {
    const job = await (index === 0 && !definition ? createFrom(name, step) : importInto(tableId, step))
    const { totalRowsCount, importedRowsCount, importedColumns, rowsCount, columns, primaryKey } =
      job.results ?? {}
    const loaded = { totalRowsCount, importedRowsCount, importedColumns, rowsCount, columns, primaryKey }
    const { code, message, contextParams } = job.error ?? {}
    answers.push({ status: job.status, loaded, code, message, contextParams })
  }
  startAt(NEVER)
  return { tableId, answers, rows: await rowsOf(tableId) }
}

const rows = (from: number, to: number, note: string): string =>
  Array.from({ length: to - from }, (_, index) => `${from + index},"${note},\n"\n`).join('')
const key = { primaryKey: 'id' }
const changes = { incremental: 1 }

/** Its key is added later: in a key that is defined with its table no column may be NULL. */
const typed = {
  laterKey: ['id', 'day'],
  columns: [
    { name: 'id', definition: { type: 'INTEGER', nullable: false } },
    { name: 'day', definition: { type: 'DATE' } },
    { name: 'small', definition: { type: 'DECIMAL', length: '6,3' } },
    { name: 'rate', basetype: 'FLOAT' },
    { name: 'ok', basetype: 'BOOLEAN' },
    { name: 'at', basetype: 'TIMESTAMP' },
    { name: 'seen', definition: { type: 'TIMESTAMP_TZ' } },
    { name: 'note', basetype: 'STRING' },
  ],
}
const typedHead = 'id,day,small,rate,ok,at,seen,note\n'
const typedRows = (from: number, to: number, note: string): string =>
  Array.from({ length: to - from }, (_, index) => {
    const id = from + index
    const day = id % 3 === 0 ? '' : `2026-01-${String((id % 28) + 1).padStart(2, '0')}`
    return `${id},${day},${id}.500,${id / 4},${id % 2 === 0},2026-01-31 10:00:00,2026-01-31 10:00:00+02:00,${note}\n`
  }).join('')

/** `codes`: of the errors of its steps. Default: all succeed. */
const cases: { it: string; steps: Step[]; definition?: Definition; codes?: string[] }[] = [
  {
    it: 'one that creates its table, with records of one key in several ranges',
    steps: [{ content: `id,note\n${rows(0, 20, 'first')}${rows(5, 15, 'second')}3,last\n`, settings: key }],
  },
  {
    it: 'one that creates its table, and later loads into it',
    steps: [
      { content: `id,note\n${rows(0, 20, 'first')}`, settings: key },
      { content: `id,note,more\n${rows(15, 25, 'second').replaceAll('"\n', '",x\n')}`, settings: changes },
      { content: `id,note,more\n${rows(0, 5, 'third').replaceAll('"\n', '",y\n')}` },
    ],
  },
  {
    it: 'one that creates its table with all columns as its key',
    steps: [{ content: `id,note\n${rows(0, 20, 'x')}${rows(10, 20, 'x')}`, settings: { primaryKey: 'id,note' } }],
  },
  {
    it: 'loads into an empty table',
    definition: { primaryKeysNames: ['id'], columns: [{ name: 'id' }, { name: 'note' }] },
    steps: [
      { content: `id,note\n${rows(0, 20, 'first')}${rows(10, 12, 'second')}`, settings: changes },
      { content: `id,note\n${rows(18, 24, 'third')}`, settings: changes },
    ],
  },
  {
    it: 'a typed table, compared by value and with NULL in its key',
    definition: typed,
    steps: [
      { content: `${typedHead}${typedRows(0, 12, 'first')}${typedRows(6, 8, 'second')}`, settings: changes },
      {
        // The same values in other words change nothing; the others do.
        content: `${typedHead}${typedRows(0, 6, 'first').replaceAll('.500,', '.5,').replaceAll('10:00:00+02:00', '08:00:00Z')}${typedRows(9, 14, 'third')}9,,,,,,,\n`,
        settings: changes,
      },
    ],
  },
  {
    it: 'a typed table that gets an undeclared column',
    definition: typed,
    steps: [
      { content: `${typedHead}${typedRows(0, 6, 'first')}`, settings: changes },
      {
        content: `${typedHead.replace('note', 'note,more')}${typedRows(3, 9, 'second').replaceAll('second', 'second,x')}`,
        settings: changes,
      },
    ],
  },
  {
    it: 'a typed table, with a value of another type',
    codes: ['csvImport.invalidValue'],
    definition: typed,
    steps: [
      { content: `${typedHead}${typedRows(0, 8, 'a')}8,2026-02-30,,,,,,\n${typedRows(9, 20, 'a')}x,,,,,,,\n` },
    ],
  },
  {
    it: 'a typed table, with a value that is too large, and one that is required',
    codes: ['rowTooLarge', 'csvImport.requiredValue'],
    definition: typed,
    steps: [
      { content: `${typedHead}${typedRows(0, 8, 'a')}8,,1234.5,,,,,\n`, settings: changes },
      { content: `${typedHead}${typedRows(0, 8, 'a')},,,,,,,\n`, settings: changes },
    ],
  },
  { it: 'a key that the table would lack', codes: ['storage.tables.validation.invalidPrimaryKeyColumns'], steps: [{ content: `id,note\n${rows(0, 9, 'x')}`, settings: { primaryKey: 'x' } }] },
] // biome-ignore format: one case, one line

describe('a keyed load that Athena merges has the results and rows of one that a function merges', () => {
  it.each(cases)('$it', async ({ steps, definition, codes = steps.map(() => undefined) }) => {
    const large = await play(steps, 24, definition)
    const small = await play(steps, NEVER, definition)
    expect(large.answers).toEqual(
      JSON.parse(JSON.stringify(small.answers).replaceAll(`"${small.tableId}"`, `"${large.tableId}"`)),
    )
    expect(large.answers).toMatchObject(codes.map(code => ({ code, status: code ? 'error' : 'success' })))
    expect(large.rows).toEqual(small.rows)
    expect(await glueNameOf(small.tableId)).toBeUndefined()
    if (codes.some(Boolean)) return expect(large.rows).toEqual([])
    expect(await glueNameOf(large.tableId)).toBeDefined()
    await expectGlueAtHead(large.tableId)
    const { icebirdView } = createTableViews(service)
    expect(await icebirdView(large.tableId)).toEqual(await icebirdView(small.tableId))
    expect((await namesInGlue()).filter(name => /^(merge|staging)_/.test(name))).toEqual([])
  })

  it('and shows in its history only what the head has shown', async () => {
    const { tableId } = await play(
      [
        { content: `id,note\n${rows(0, 20, 'first')}`, settings: key },
        { content: `id,note\n${rows(15, 25, 'second')}`, settings: { ...key, ...changes } },
        { content: `id,note,more\n${rows(0, 5, 'third').replaceAll('"\n', '",y\n')}` },
        { content: `id,note,more\n${rows(0, 8, 'fourth').replaceAll('"\n', '",y\n')}` },
      ],
      24,
    )
    const history = await createTableViews(service).history(tableId)
    expect(history.map(({ operation, rows }) => [operation, rows])).toEqual([
      ['overwrite', 20],
      ['overwrite', 25],
      ['overwrite', 5],
      ['overwrite', 8],
    ])
    // Our own way back in time takes the metadata of then.
    const table = await service.stores.tables.get(tableId)
    for (const { timeMs, rows } of history.slice(1))
      for (const at of [timeMs - 1, timeMs]) {
        const then = table && (await service.stores.tables.contentAt(table, new Date(at)))
        expect(then?.snapshot.rowsCount).toEqual(at === timeMs ? rows : expect.toBeOneOf([20, 25, 5]))
      }
  })

  it('and changes nothing when the values of a typed table come in other words', async () => {
    const { tableId } = await play([{ content: typedHead + typedRows(0, 12, 'first') }], 24, typed)
    const { metadataKey } = (await service.stores.tables.getHead(tableId)) ?? {}
    startAt(24)
    const again = typedRows(0, 12, 'first')
      .replaceAll('.500,', '.5,')
      .replaceAll(',true,', ',1,')
      .replaceAll('10:00:00+02:00', '08:00:00Z')
    expect(again).not.toBe(typedRows(0, 12, 'first'))
    const job = await importInto(tableId, { content: typedHead + again, settings: changes })
    startAt(NEVER)
    expect(job.error).toBeUndefined()
    expect(job).toMatchObject({ status: 'success', results: { importedRowsCount: 12, totalRowsCount: 12 } })
    expect(await service.stores.tables.getHead(tableId)).toMatchObject({ metadataKey })
  })
})

describe('in a branch', () => {
  const startBranch = async () => {
    const { body } = await service.call('POST', '/v2/storage/dev-branches', { name: `branch ${++tables}` })
    const id: number = body.results.id
    return { id, at: `branch/${id}/`, stores: service.stores.inBranch(id) }
  }

  it('the branch’s own table is merged, under a name of its own, and the default one stays', async () => {
    const { tableId } = await play([{ content: `id,note\n${rows(0, 20, 'first')}`, settings: key }], 24)
    const before = await rowsOf(tableId)
    const head = await service.stores.tables.getHead(tableId)
    const { id, at, stores } = await startBranch()
    startAt(24)
    const job = await importInto(
      tableId,
      { content: `id,note\n${rows(10, 30, 'branch')}`, settings: changes },
      at,
    )
    expect(job).toMatchObject({ status: 'success', results: { totalRowsCount: 30 } })
    expect(await rowsOf(tableId)).toEqual(before)
    expect(await rowsOf(tableId, at)).toHaveLength(30)
    expect(await service.stores.tables.getHead(tableId)).toEqual(head)

    const own = await stores.tables.getHead(tableId)
    expect(own?.glueName).toMatch(new RegExp(`^branch_${id}__in_c_main__t\\d+_${own?.internalId}$`))
    await expectGlueAtHead(tableId, stores)
    await expectGlueAtHead(tableId)

    // A merge in the default branch does not touch the branch's.
    await importInto(tableId, { content: `id,note\n${rows(40, 50, 'default')}`, settings: changes })
    startAt(NEVER)
    expect(await rowsOf(tableId)).toHaveLength(30)
    expect(await stores.tables.getHead(tableId)).toEqual(own)
    await expectGlueAtHead(tableId, stores)
    await expectGlueAtHead(tableId)

    // The sweep knows both, and drops the branch's once the branch is gone.
    const { jobServices, tablesBucket } = service
    const heal = async () =>
      (
        await sweepStorage(
          'catalog',
          { ...jobServices, ...service.stores, tablesBucket, pageSizes },
          () => false,
        )
      ).swept
    expect(await heal()).toBe(0)
    await service.call('DELETE', `/v2/storage/dev-branches/${id}`)
    expect(await heal()).toBe(1)
    expect(await namesInGlue()).not.toContain(own?.glueName)
    await expectGlueAtHead(tableId)
  })

  it('a load creates its table there, and nowhere else', async () => {
    const { id, at, stores } = await startBranch()
    startAt(24)
    const name = `t${++tables}`
    const job = await createFrom(
      name,
      { content: `id,note\n${rows(0, 20, 'x')}${rows(5, 9, 'y')}`, settings: key },
      at,
    )
    startAt(NEVER)
    const tableId = `${bucketId}.${name}`
    expect(job).toMatchObject({ status: 'success', results: { rowsCount: 20 } })
    expect(await service.stores.tables.getHead(tableId)).toBeUndefined()
    expect(await rowsOf(tableId, at)).toHaveLength(20)
    const { internalId = 0 } = (await stores.tables.getHead(tableId)) ?? {}
    expect(await namesInGlue()).toContain(glueTableName({ bucketId, name, internalId, branchId: id }))
    await expectGlueAtHead(tableId, stores)
  })

  it('a table that the branch deletes keeps its name in Glue for the default branch', async () => {
    const { tableId } = await play([{ content: `id,note\n${rows(0, 20, 'first')}`, settings: key }], 24)
    const { at } = await startBranch()
    await service.call('DELETE', `/v2/storage/${at}tables/${tableId}?async=1`)
    await service.jobsEnded()
    expect((await service.call('GET', `/v2/storage/${at}tables/${tableId}`)).status).toBe(404)
    await expectGlueAtHead(tableId)
  })
})

describe('a load that creates its table', () => {
  it('says that the name is taken, when another job was faster, and leaves that table', async () => {
    const { merging } = service.jobServices
    if (!merging) throw new Error('There is no Athena')
    const { settled } = merging
    const name = `t${++tables}`
    const other = await play([{ content: 'id\n0\n' }], NEVER)
    merging.settled = async () => {
      merging.settled = settled
      const table = await service.stores.tables.get(other.tableId)
      if (!table) throw new Error('There is no table')
      expect(await service.stores.tables.insert({ ...table, name, internalId: 99 })).toBe(true)
      await settled()
    }
    startAt(24)
    const job = await createFrom(name, { content: `id,note\n${rows(0, 20, 'x')}`, settings: key })
    startAt(NEVER)
    expect(job).toMatchObject({ status: 'error', error: { code: 'storage.buckets.tableAlreadyExists' } })
    expect(await rowsOf(`${bucketId}.${name}`)).toEqual(['"0"'])
  })
})
