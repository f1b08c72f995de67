import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('named-header')

let tables = 0
const create = async (content: string | string[], settings: Record<string, unknown>) => {
  const dataFileId = await target.upload(content)
  const job = await target.job('POST', `buckets/${bucketId}/tables-async`, {
    name: `t${++tables}`,
    dataFileId,
    ...settings,
  })
  expect(job.error).toBeUndefined()
  const { text } = await target.call('GET', `tables/${job.results.id}/data-preview`)
  return { job, results: job.results, rows: text.trimEnd().split('\n').slice(1).toSorted() }
}
const warnings = [expect.stringContaining('read as the header')]

describe('a new table from a file with names of columns', () => {
  it.each([
    ['the names as they are', 'id,name\n1,a\n', ['id', 'name']],
    ['names that are made valid', '"id","Größe (cm)"\n1,a\n', ['id', 'Grosse_cm']],
    ['the names as the request spells them', 'id,new-column\n1,a\n', ['id', 'new column'], 'is new_column'],
    ['a name over two lines', 'id,"na\nme"\n1,a\n', ['id', 'na_me']],
    ['a byte order mark', '\uFEFFid,name\r\n1,a\r\n', ['id', 'name']],
  ])(
    'takes a first line with %s for the header, and warns',
    async (_what, content, columns, renamed?: string) => {
      const { job, results, rows } = await create(content, { columns })
      expect(rows).toEqual(['"1","a"'])
      const warnings = ['read as the header', ...(renamed ? [renamed] : [])]
      expect(results).toMatchObject({
        rowsCount: 1,
        warnings: warnings.map(text => expect.stringContaining(text)),
      })
      const created = `tables/${results.id}/events?q=event:storage.tableCreated`
      // The job's event comes after the end of the job.
      await expect
        .poll(async () => (await target.call('GET', created)).body)
        .toMatchObject([{ type: 'warn', description: job.results.warnings.join('\n') }])
    },
  )

  it.each([
    ['holds other texts', '1,a\n2,b\n', ['id', 'name'], ['"1","a"', '"2","b"']],
    ['holds the names in another order', 'name,id\n2,b\n', ['id', 'name'], ['"2","b"', '"name","id"']],
    ['holds the names in another case', 'ID,name\n2,b\n', ['id', 'name'], ['"2","b"', '"ID","name"']],
  ])('keeps a first line as data when it %s', async (_what, content, columns, expected) => {
    const { results, rows } = await create(content, { columns })
    expect(rows).toEqual(expected)
    expect(results.columns).toEqual(columns)
    expect(results).not.toHaveProperty('warnings')
  })

  it('believes a client that says how the file begins', async () => {
    const content = 'id,name\n1,a\n'
    const columns = ['id', 'name']
    expect((await create(content, { columns, withoutHeaders: true })).rows).toEqual([
      '"1","a"',
      '"id","name"',
    ])
    expect((await create(content, { columns, ignoredLinesCount: 2 })).rows).toEqual([])
    expect((await create([content], { columns })).rows).toEqual(['"1","a"', '"id","name"'])
  })

  it('is created so by a form with the data too, compressed or not', async () => {
    for (const [name, data] of [
      ['plain', Buffer.from('id,name\n1,a\n')],
      ['gzip', gzipSync('id,name\n1,a\n')],
    ] as const) {
      const form = new FormData()
      form.set('name', `form_${name}`)
      form.set('columns[0]', 'id')
      form.set('columns[1]', 'name')
      form.set('data', new Blob([data]), 'data.csv')
      const { status, body } = await target.call('POST', `buckets/${bucketId}/tables`, form)
      expect(status).toBe(201)
      expect(body).toMatchObject({ columns: ['id', 'name'], rowsCount: 1, warnings })
    }
  })
})

describe('a load of a second day with names of columns', () => {
  const columns = ['id', 'name']
  const header = { rows: ['"1","a"', '"2","b"'], warnings }
  const data = { rows: ['"1","a"', '"2","b"', '"id","name"'], warnings: [] }

  it.each([
    ['import-async', {}, header],
    ['import', {}, header],
    ['load', {}, header],
    ['import-async', { withoutHeaders: true }, data],
    ['import', { withoutHeaders: true }, data],
  ])('means by %s with %j what the first one meant', async (entrance, settings, expected) => {
    const { results: made } = await create('id,name\n1,a\n', { columns })
    const fields = {
      dataFileId: await target.upload('id,name\n2,b\n'),
      columns,
      incremental: true,
      ...settings,
    }
    const found =
      entrance === 'import'
        ? (await target.call('POST', `tables/${made.id}/import`, fields)).body
        : entrance === 'load'
          ? (await create('id,name\n2,b\n', { ...fields, name: made.name, ifExists: 'load' })).results
          : (await target.job('POST', `tables/${made.id}/import-async`, fields)).results
    const { text } = await target.call('GET', `tables/${made.id}/data-preview`)
    expect({ rows: text.trimEnd().split('\n').slice(1).toSorted(), warnings: found.warnings }).toEqual(
      expected,
    )
  })
})
