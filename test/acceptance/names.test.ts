import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('names')
const dataFileId = await target.upload('id\n1\n')
const created = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 'rows', dataFileId })
const tableId = created.results.id

const names = [
  ['new-column', 'new_column'],
  ['_abc-def----ghi_', 'abc_def_ghi'],
  ['žluťoučký    kůň', 'zlutoucky_kun'],
  ['lot__of_____underscores____', 'lot__of_____underscores'],
  ['oid', 'oid_'],
  ['CTID', 'CTID_'],
  ['xMax', 'xMax_'],
] as const

describe('a column that is added', () => {
  it.each(names)('as %s is named %s, and the job and the event say so', async (given, valid) => {
    const job = await target.job('POST', `tables/${tableId}/columns`, { name: given })
    expect(job).toMatchObject({
      status: 'success',
      operationName: 'tableColumnAdd',
      operationParams: { name: valid, requestedName: given },
      results: { column: valid, warnings: [expect.stringContaining(`"${valid}"`)] },
    })
    const { body: table } = await target.call('GET', `tables/${tableId}`)
    expect(table.columns).toContain(valid)
    const added = `tables/${tableId}/events?limit=1&q=event:storage.tableColumnAdded`
    // The job's event comes after the end of the job.
    await expect
      .poll(async () => (await target.call('GET', added)).body)
      .toMatchObject([{ type: 'warn', description: expect.stringContaining(given) }])
  })

  it('under a valid name is reported without a warning', async () => {
    const job = await target.job('POST', `tables/${tableId}/columns`, { name: 'plain' })
    expect(job).toMatchObject({ status: 'success', operationParams: { name: 'plain' }, results: null })
    expect(job.operationParams).not.toHaveProperty('requestedName')
  })

  it.each([
    ['Plain', 'storage.tables.columnAlreadyExists'],
    ['new column', 'storage.tables.columnAlreadyExists'],
    ['💰', 'storage.tables.invalidColumnName'],
    ['', 'storage.tables.invalidColumnName'],
    ['a'.repeat(65), 'storage.tables.invalidColumnName'],
  ])('as %s is refused', async (name, code) => {
    const { status, body } = await target.call('POST', `tables/${tableId}/columns`, { name })
    expect([status, body.code]).toEqual([400, code])
  })
})

describe('columns of a new table', () => {
  it('are made valid in its definition and its key', async () => {
    const job = await target.job('POST', `buckets/${bucketId}/tables-definition`, {
      name: 'defined',
      primaryKeysNames: ['new-column'],
      columns: names.map(([name]) => ({ name, basetype: 'STRING' })),
    })
    expect(job).toMatchObject({
      status: 'success',
      results: { columns: names.map(([, valid]) => valid), primaryKey: ['new_column'] },
    })
  })

  it('are made valid in the header of its file, and in an import', async () => {
    const header = names.map(([name]) => `"${name}"`).join(',')
    const row = names.map((_, index) => index).join(',')
    const columns = names.map(([, valid]) => valid)
    const dataFileId = await target.upload(`${header}\n${row}\n`)
    const created = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 'file', dataFileId })
    expect(created.results.columns).toEqual(columns)
    const loaded = await target.job('POST', `tables/${created.results.id}/import-async`, { dataFileId })
    expect(loaded.results.importedColumns).toEqual(columns)
  })
})

describe('webalize', () => {
  const columns = (columnNames: unknown) => target.call('POST', 'webalize/column-names', { columnNames })

  it('makes column names, in their order, at most 64 characters long', async () => {
    const { status, body } = await columns([...names.map(([name]) => name), 'a'.repeat(70), '💰', '\u0000'])
    expect(status).toBe(200)
    // Reserved names are for the table to change.
    const valid = names.map(([, name]) => name.replace(/_$/, ''))
    expect(body).toEqual({ columnNames: [...valid, 'a'.repeat(64), '', ''] })
  })

  it.each([[['']], [[null]]])('refuses %j', async columnNames => {
    const { status, body } = await columns(columnNames)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'validation.failed',
      error: 'Invalid request:\n - columnNames[0]: "This value should not be blank."',
      errors: [{ key: 'columnNames[0]', message: 'This value should not be blank.' }],
    })
  })

  it('makes a display name', async () => {
    const make = (displayName: string) => target.call('POST', 'webalize/display-name', { displayName })
    expect((await make(' Žluťoučký kůň, (2) ')).body).toEqual({ displayName: 'Zlutoucky-kun-2' })
    expect((await make('oid')).body).toEqual({ displayName: 'oid' })
    expect(await make('💰')).toMatchObject({
      status: 422,
      body: {
        code: 'storage.webalize.displayName.invalid',
        error: 'Filtered name "" should be valid name',
      },
    })
  })
})

describe('validate', () => {
  const validate = (columnNames: unknown) => target.call('POST', 'validate/column-names', { columnNames })

  it('answers 204 without content for names that can be used', async () => {
    const { status, text } = await validate(['id', 'a_b', 'a-b', '_x'])
    expect([status, text]).toEqual([204, ''])
  })

  it('says in words of the documentation what cannot be used', async () => {
    const { status, body } = await validate(['id', 'a b', 'oid', 'a'.repeat(65), 'ID', '💰'])
    const messages = [
      '"a b" contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.',
      '"oid" is a system column used by the database for internal purposes.',
      'Column name cannot be longer than 64 characters.',
      '"ID" is there twice.',
      '"💰" contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.',
    ]
    expect(status).toBe(422)
    expect(body).toMatchObject({
      code: 'validation.failed',
      error: `Invalid request:${messages.map((message, index) => `\n - columnNames[${index + 1}]: "${message}"`).join('')}`,
      errors: messages.map((message, index) => ({ key: `columnNames[${index + 1}]`, message })),
    })
  })
})
