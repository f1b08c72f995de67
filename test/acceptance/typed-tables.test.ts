import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { column, everyType, startTypedTables } from './typed-table-steps.ts'

const world = await startTypedTables()

describe('a typed table', () => {
  it('shows its resolved types, sorted by name, and each column in the order of its creation', async () => {
    const tableId = await world.table(
      [
        column('id', 'INT'),
        column('Price', 'decimal', { length: '12,2', default: 1.5 }),
        { name: 'name', basetype: 'string' },
        { name: 'amount', basetype: 'NUMERIC' },
        column('at', 'DATETIME', { length: 0 }),
        column('seen', 'timestamp_tz'),
        column('ok', 'BOOLEAN', { default: true, nullable: 0 }),
        column('tags', 'ARRAY'),
      ],
      ['id'],
    )
    const shown = await world.detail(tableId)
    expect(shown).toMatchObject({ isTyped: true, rowsCount: 0, dataSizeBytes: 0, lastImportDate: null })
    expect(shown.columns).toEqual(['id', 'Price', 'name', 'amount', 'at', 'seen', 'ok', 'tags'])
    const filtered = { canBeFiltered: true }
    expect(shown.definition).toEqual({
      primaryKeysNames: ['id'],
      columns: [
        {
          name: 'amount',
          definition: { type: 'NUMBER', nullable: true, length: '38,9' },
          basetype: 'NUMERIC',
          ...filtered,
        },
        {
          name: 'at',
          definition: { type: 'TIMESTAMP_NTZ', nullable: true, length: '0' },
          basetype: 'TIMESTAMP',
          ...filtered,
        },
        {
          name: 'id',
          definition: { type: 'NUMBER', nullable: false, length: '38,0' },
          basetype: 'INTEGER',
          ...filtered,
        },
        {
          name: 'name',
          definition: { type: 'VARCHAR', nullable: true, length: '16777216' },
          basetype: 'STRING',
          ...filtered,
        },
        {
          name: 'ok',
          definition: { type: 'BOOLEAN', nullable: false, default: 'true' },
          basetype: 'BOOLEAN',
          ...filtered,
        },
        {
          name: 'Price',
          definition: { type: 'NUMBER', nullable: true, length: '12,2', default: '1.5' },
          basetype: 'NUMERIC',
          ...filtered,
        },
        {
          name: 'seen',
          definition: { type: 'TIMESTAMP_TZ', nullable: true, length: '9' },
          basetype: 'TIMESTAMP',
          ...filtered,
        },
        {
          name: 'tags',
          definition: { type: 'ARRAY', nullable: true },
          basetype: 'STRING',
          canBeFiltered: false,
        },
      ],
    })
    expect(Object.keys(shown.definition.columns[5])).toEqual([
      'name',
      'definition',
      'basetype',
      'canBeFiltered',
    ])
  })

  it('says its types in metadata that nobody else writes', async () => {
    const tableId = await world.table([column('price', 'NUMBER', { length: '12,2', default: '1' })])
    const { metadata, columnMetadata } = await world.detail(tableId)
    expect(metadata).toMatchObject([{ key: 'KBC.dataTypesEnabled', value: 'true', provider: 'storage' }])
    const items = columnMetadata.price.map(({ key, value }: Record<string, string>) => [key, value])
    expect(items).toEqual([
      ['KBC.datatype.type', 'NUMBER'],
      ['KBC.datatype.nullable', '1'],
      ['KBC.datatype.basetype', 'NUMERIC'],
      ['KBC.datatype.length', '12,2'],
      ['KBC.datatype.default', '1'],
    ])
    const edit = await world.target.call('POST', `tables/${tableId}/metadata`, {
      provider: 'storage',
      metadata: [{ key: 'KBC.dataTypesEnabled', value: 'false' }],
    })
    const code = 'storage.metadata.invalidProvider'
    expect([edit.status, edit.body.code]).toEqual([403, code])
    expect(edit.body.error).toBe('Metadata with "storage" provider cannot be edited by user.')
    const [{ id }] = columnMetadata.price
    const gone = await world.target.call('DELETE', `columns/${tableId}.price/metadata/${id}`)
    expect([gone.status, gone.body.code]).toEqual([403, code])
    const { body: found } = await world.target.call('GET', 'search/tables?metadataKey=KBC.dataTypesEnabled')
    expect(found.map((each: { id: string }) => each.id)).toContain(tableId)
  })

  it('is untyped when no column has a type', async () => {
    const tableId = await world.table([{ name: 'a' }, { name: 'b' }])
    const shown = await world.detail(tableId)
    expect([shown.isTyped, shown.definition, shown.metadata]).toMatchObject([
      false,
      { columns: [{ name: 'a' }, { name: 'b' }] },
      [],
    ])
    await world.loaded(tableId, 'a,b\n1,\n')
    expect(await world.preview(tableId)).toEqual(['"1",""'])
  })

  it.each([
    [
      'a text for a number',
      column('a', 'NUMBER', { default: 'string' }),
      /^Table creation ended with a syntax exception/,
    ],
    ['a fraction for an integer', column('a', 'INT', { default: '1.23' }), /syntax exception/],
    [
      'a word for a boolean',
      column('a', 'BOOLEAN', { default: 'test' }),
      /^Boolean default value "test" is not boolean\.$/,
    ],
    [
      'a number for a boolean',
      column('a', 'BOOLEAN', { default: 123 }),
      /^Boolean default value "123" is not boolean\.$/,
    ],
    ['a quoted day', column('a', 'DATE', { default: "'2022-02-22'" }), /syntax exception/],
    ['a word for a time', column('a', 'TIMESTAMP', { default: 'string' }), /syntax exception/],
    ['a longer text', column('a', 'VARCHAR', { length: 2, default: 'abc' }), /syntax exception/],
    ['a NUL in a text', column('a', 'VARCHAR', { default: 'a\0b' }), /syntax exception/],
    ['a NUL in a structure', column('a', 'VARIANT', { default: '\0' }), /syntax exception/],
  ])('is refused with %s as a default', async (_what, wrong, message) => {
    const { status, body } = await world.target.call('POST', `buckets/${world.bucketId}/tables-definition`, {
      name: 'never',
      columns: [wrong],
    })
    expect([status, body.code]).toEqual([400, 'storage.tables.invalidDefaultValueForType'])
    expect(body.error).toMatch(message)
  })

  it.each([
    ['a type that is not known', column('a', 'MONEY')],
    ['more digits than a number has', column('a', 'NUMBER', { length: '39,0' })],
    ['more digits after the point than digits', column('a', 'NUMBER', { length: '4,5' })],
    ['a length for a day', column('a', 'DATE', { length: 3 })],
    ['a text without characters', column('a', 'VARCHAR', { length: 0 })],
  ])('is refused with %s', async (_what, wrong) => {
    const { status, body } = await world.target.call('POST', `buckets/${world.bucketId}/tables-definition`, {
      name: 'never',
      columns: [wrong],
    })
    expect([status, body.code]).toEqual([400, 'storage.tables.validation'])
  })
})

const header = `${everyType.map(({ name }) => name).join(',')}\n`
const first = '007,003.123,0.123,3.14,0,1989-08-31,1989-08-31,1989-08-31T10:00:00+02:00,09:30,"a ""b"""\n'
const firstShown =
  '"7","3.123","0.123000000","3.14","false","1989-08-31","1989-08-31 00:00:00.000","1989-08-31 08:00:00.000 +0000","09:30:00","a ""b"""'

describe('the rows of a typed table', () => {
  let oneRow: string
  beforeAll(async () => {
    oneRow = await world.table(everyType)
    await world.loaded(oneRow, header + first)
  })

  it('are read back in one form of each type, and NULL as an empty cell without quotes', async () => {
    const tableId = await world.table(everyType)
    const big = '9223372036854775807,-9.999,12345678901234567890123456789.123456789,1e300,TRUE,0001-01-01,'
    await world.loaded(
      tableId,
      `${header}${first}${big}9999-12-31 23:59:59.999999,2026-11-21,23:59:59.5,x\n,,,,,,,,"",""\n`,
    )
    expect(await world.preview(tableId)).toEqual([
      firstShown,
      '"9223372036854775807","-9.999","12345678901234567890123456789.123456789","1e+300","true","0001-01-01","9999-12-31 23:59:59.999999","2026-11-21 00:00:00.000 +0000","23:59:59.5","x"',
      ',,,,,,,,,',
    ])
    const { body } = await world.target.call('GET', `tables/${tableId}/data-preview?format=json&limit=3`)
    expect(body.rows[2][9]).toEqual({ columnName: 'note', value: null, isTruncated: false })
    expect(body.rows[0][0]).toEqual({ columnName: 'id', value: '7', isTruncated: false })

    const { results } = await world.target.job('POST', `tables/${tableId}/export-async`, { gzip: true })
    const slices = await world.target.downloadSlices(results.file.id)
    const exported = slices.map(slice => gunzipSync(slice).toString()).join('')
    expect(exported.trimEnd().split('\n')).toEqual(await world.preview(tableId))
    // What was exported can be loaded again, and is the same.
    await world.loaded(tableId, header + exported)
    expect((await world.preview(tableId)).join('\n')).toBe(exported.trimEnd())
  })

  it.each([
    ['not a number', 'id', 'male', 'csvImport.invalidValue', "Numeric value 'male' is not recognized"],
    [
      'too large a number',
      'small',
      '123132456.1264654',
      'rowTooLarge',
      "Numeric value '123132456.1264654' is out of range",
    ],
    ['more digits than are kept', 'small', '1.2345', 'rowTooLarge', 'is out of range'],
    ['not a boolean', 'ok', '222', 'csvImport.invalidValue', "Boolean value '222' is not recognized"],
    ['not a day', 'day', '2022-02-31', 'csvImport.invalidValue', "Date '2022-02-31' is not recognized"],
    ['not a time', 'at', 'now', 'csvImport.invalidValue', "Timestamp 'now' is not recognized"],
    [
      'another zone where none is kept',
      'at',
      '2022-02-01 10:00+01:00',
      'csvImport.invalidValue',
      'is not recognized',
    ],
    ['not a time of day', 'clock', '25:00', 'csvImport.invalidValue', "Time '25:00' is not recognized"],
  ])(
    'are not loaded when a cell is %s: the job names line, column and value',
    async (_what, name, value, code, text) => {
      const cells = everyType.map(each =>
        each.name === name ? value : each.name === 'note' ? '"two\nlines"' : '',
      )
      const job = await world.load(
        oneRow,
        `${header}${first}${cells.map(() => '').join(',')}\n${cells.join(',')}\n`,
      )
      expect(job).toMatchObject({
        status: 'error',
        error: { code, contextParams: { line: 4, column: name, value } },
      })
      const opening = code === 'rowTooLarge' ? 'Load error' : 'Table import error: Load error'
      expect(job.error.message).toMatch(
        new RegExp(`^${opening}: An exception occurred while executing a query: `),
      )
      expect(job.error.message).toContain(text)
      expect(await world.preview(oneRow)).toEqual([firstShown])
    },
  )

  it('are named in an error without half a character where they are cut', async () => {
    const cells = everyType.map(({ name }) => (name === 'clock' ? `${'x'.repeat(99)}😀` : ''))
    const { error } = await world.load(oneRow, `${header}${cells.join(',')}\n`)
    expect(error.contextParams.value).toBe('x'.repeat(99))
    expect(error.message).toContain(`'${'x'.repeat(99)}…'`)
  })

  it('hold to lengths, to what must be filled, and to defaults', async () => {
    const tableId = await world.table([
      column('id', 'INT', { nullable: false }),
      column('code', 'VARCHAR', { length: 2 }),
      column('state', 'VARCHAR', { nullable: false, default: 'new' }),
    ])
    const long = await world.load(tableId, 'id,code,state\n1,martin,x\n')
    expect(long.error.message).toContain("User character length limit (2) exceeded by string 'martin'")
    const empty = await world.load(tableId, 'id,code,state\n1,ab,x\n,cd,y\n')
    expect(empty.error).toMatchObject({
      code: 'csvImport.requiredValue',
      contextParams: { line: 3, column: 'id' },
    })
    expect(empty.error.message).toMatch(/^Load error: Required field id cannot be null/)
    await world.loaded(tableId, 'id,code,state\n1,,\n2,né,"old"\n')
    expect(await world.preview(tableId)).toEqual(['"1",,"new"', '"2","né","old"'])
  })

  it('have the defaults of each type where a value is needed', async () => {
    const needed = (name: string, type: string, value: unknown) =>
      column(name, type, { nullable: false, default: value })
    const tableId = await world.table([
      column('id', 'INT'),
      needed('n', 'NUMERIC', '1'),
      needed('f', 'FLOAT', 1.25),
      needed('s', 'TEXT', "'x'"),
      needed('b', 'BOOLEAN', true),
      needed('d', 'DATE', '2022-02-22'),
      needed('t', 'TIME', '00:00:00'),
      needed('at', 'TIMESTAMP_NTZ', '2021-01-01 00:00:00'),
      needed('tz', 'TIMESTAMP_TZ', '2021-01-01 00:00:00 +0000'),
      needed('now', 'TIMESTAMP_LTZ', 'current_timestamp()'),
      column('none', 'INT', { default: '' }),
    ])
    await world.loaded(tableId, 'id,n,f,s,b,d,t,at,tz,now,none\n1,,,,,,,,,,\n')
    const [row = ''] = await world.preview(tableId)
    expect(row).toMatch(
      /^"1","1","1\.25","'x'","true","2022-02-22","00:00:00","2021-01-01 00:00:00\.000","2021-01-01 00:00:00\.000 \+0000","20[0-9-]{8} [0-9:.]+ \+0000",$/,
    )
  })

  it('are found by their key whatever its spelling, and unchanged ones keep their time', async () => {
    const tableId = await world.table(
      [
        { name: 'id', basetype: 'INTEGER' },
        { name: 'n', basetype: 'NUMERIC' },
      ],
      ['id'],
    )
    await world.loaded(tableId, 'id,n\n1,1.0\n2,2\n1,1\n')
    const changed = async () => {
      const { results } = await world.target.job('POST', `tables/${tableId}/export-async`, {
        includeInternalTimestamp: 1,
      })
      return Buffer.concat(await world.target.downloadSlices(results.file.id))
        .toString()
        .trimEnd()
        .split('\n')
        .toSorted()
    }
    const before = await changed()
    expect(before).toHaveLength(2)
    await world.loaded(tableId, 'id,n\n01,1.000\n002.0,2\n', { incremental: 1 })
    expect(await changed()).toEqual(before)
    await world.loaded(tableId, 'id,n\n+1,7\n03,\n', { incremental: 1 })
    expect((await world.preview(tableId)).toSorted()).toEqual([
      '"1","7.000000000"',
      '"2","2.000000000"',
      '"3",',
    ])
  })

  it('are chosen and ordered by value', async () => {
    const tableId = await world.table(everyType)
    const row = (id: string, rate: string, ok: string, day: string, note: string) =>
      `${id},1,${id}.5,${rate},${ok},${day},${day && `${day} 10:00`},${day && `${day} 10:00+01`},10:00,${note}\n`
    await world.loaded(
      tableId,
      header +
        row('9', '0.5', '1', '2026-01-09', '1234') +
        row('10', '1e2', 'f', '2026-01-10', '123') +
        row('-3', '', '', '', ''),
    )
    const ids = async (filter: Record<string, unknown>): Promise<string> => {
      const query = new URLSearchParams({ 'columns[]': 'id' })
      for (const [key, value] of Object.entries(filter))
        if (Array.isArray(value)) for (const each of value) query.append(`whereFilters[0][${key}][]`, each)
        else query.set(`whereFilters[0][${key}]`, String(value))
      return (await world.preview(tableId, query.toString())).join(' ')
    }
    expect(await ids({ column: 'id', operator: 'gt', values: ['9'] })).toBe('"10"')
    expect(await ids({ column: 'id', operator: 'eq', values: ['010.0'] })).toBe('"10"')
    expect(await ids({ column: 'amount', operator: 'ge', values: ['9.4999999999'] })).toBe('"9" "10"')
    expect(await ids({ column: 'rate', operator: 'le', values: ['0.50'] })).toBe('"9"')
    expect(await ids({ column: 'ok', operator: 'eq', values: ['true'] })).toBe('"9"')
    expect(await ids({ column: 'ok', operator: 'ne', values: ['1'] })).toBe('"10"')
    expect(await ids({ column: 'day', operator: 'lt', values: ['2026-01-10'] })).toBe('"9"')
    expect(await ids({ column: 'at', operator: 'gt', values: ['2026-01-09'] })).toBe('"9" "10"')
    expect(await ids({ column: 'seen', operator: 'eq', values: ['2026-01-10T09:00:00Z'] })).toBe('"10"')
    expect(await ids({ column: 'note', operator: 'lt', values: ['1234'] })).toBe('"10"')
    for (const column of ['rate', 'ok', 'day', 'note']) {
      expect(await ids({ column, operator: 'eq', values: [''] })).toBe('"-3"')
      expect(await ids({ column, operator: 'ne', values: [''] })).toBe('"9" "10"')
    }
    expect(await ids({ column: 'day', operator: 'gt', values: ['-1 days'], type: 'TIME_STRING' })).toBe('')
    expect(await world.preview(tableId, 'columns[]=id&orderBy[0][column]=id&orderBy[0][order]=DESC')).toEqual(
      ['"10"', '"9"', '"-3"'],
    )
    const ordered = await world.target.call(
      'GET',
      `tables/${tableId}/data-preview?orderBy[0][column]=id&orderBy[0][dataType]=INTEGER`,
    )
    expect([ordered.status, ordered.body.error]).toEqual([
      400,
      'Specifying data type for ordered column is not supported for typed tables',
    ])
    await world.target.job('DELETE', `tables/${tableId}/rows?whereColumn=amount&whereValues[]=9.50`)
    expect(await world.preview(tableId, 'columns[]=id')).toEqual(['"10"', '"-3"'])
  })

  it.each([
    ['id', 'aaa', "Numeric value 'aaa' is not recognized"],
    ['id', '99999999999999999999', "Numeric value '99999999999999999999' is not recognized"],
    ['at', '2022-02-31', "Timestamp '2022-02-31' is not recognized"],
    ['day', '2022-02-31', "Date '2022-02-31' is not recognized"],
    ['ok', '222', "Boolean value '222' is not recognized"],
  ])('are not chosen by what is no value of the column %s: %s', async (name, value, text) => {
    const query = `whereFilters[0][column]=${name}&whereFilters[0][values][0]=${value}`
    const { status, body } = await world.target.call('GET', `tables/${oneRow}/data-preview?${query}`)
    expect([status, body.code]).toEqual([400, 'storage.backend.exception'])
    expect(body.error).toContain(text)
    const job = await world.target.job('POST', `tables/${oneRow}/export-async`, {
      whereFilters: [{ column: name, values: [value] }],
    })
    expect(job).toMatchObject({ status: 'error', error: { code: 'storage.backend.exception' } })
  })

  it('are not chosen by a structure', async () => {
    const tableId = await world.table([column('c', 'ARRAY')])
    const { body } = await world.target.call(
      'GET',
      `tables/${tableId}/data-preview?whereColumn=c&whereValues[]=1`,
    )
    expect(body).toMatchObject({
      code: 'storage.backend.exception',
      error: 'Filtering by column "c" of type "ARRAY" is not supported by the backend "Snowflake".',
    })
  })
})
