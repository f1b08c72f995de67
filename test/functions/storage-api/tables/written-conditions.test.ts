import { describe, expect, it } from 'vitest'
import { parseCondition, writeCondition } from '#lib/table-engine/rows/written-condition.ts'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, load } = await startTableRoutes()

const ROWS = [
  // id, delay, day, at, mixed
  ['1', '995', '2026-01-31', '2026-01-31T10:00:00Z', '2026-01-01'],
  ['2', '1688', '2026-02-01', '2026-01-31 12:30:00+02:00', 'soon'],
  ['3', '-1116', '2026-03-01', '2026-02-01', ''],
  ['4', 'n/a', '', '2026-01-31T10:00:00.5Z', '2027-01-01'],
  ['5', '', '2025-12-31', '', ''],
  ['6', '9007199254740993', '2026-10-01', '2026-01-30', ''],
  ['7', '9007199254740992', '2026-09-01', '2026-01-30', ''],
  ['8', '1e3', '2026-09-01', '2026-01-30', ''],
]
const csv = `id,delay,day,at,mixed\n${ROWS.map(row => row.join(',')).join('\n')}\n`

const tableId = await service.createTable(bucketId, newName(), csv)
const name = newName()
const types = { id: 'INTEGER', delay: 'NUMERIC', day: 'DATE', kind: 'STRING' }
const columns = Object.entries(types).map(([column, basetype]) => ({ name: column, basetype }))
await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, { name, columns })
await service.jobsEnded()
const typed = `${bucketId}.${name}`
const rows = '1,995,2026-01-31,10\n2,1688,2026-02-01,9\n3,,,\n'
await load(typed, { dataFileId: await service.upload(`id,delay,day,kind\n${rows}`) })

/** What the rows of the conditions are, by preview, and by what a deletion leaves. */
const chosen = async (id: string, ...where: string[]) => {
  const query = new URLSearchParams(where.map((text, index): [string, string] => [`where[${index}]`, text]))
  const { status, body } = await service.call(
    'GET',
    `/v2/storage/tables/${id}/data-preview?format=json&countRows=1&columns=id&${query}`,
  )
  if (status !== 200) return body.error as string
  const ids = body.rows.map(([cell]: { value: string }[]) => cell?.value).join(' ')
  expect(body.rowsCount).toBe(body.rows.length)
  return [ids, ...body.stays].join('; ')
}

describe('a condition that a person wrote', () => {
  it.each([
    ['delay = 995', '1'],
    ['delay == 1000', ''],
    ["delay != ''", '1 2 3 4 6 7 8'],
    [
      'delay::number = 1000',
      '8; 1 row with other values than numbers in delay, such as "n/a", cannot be compared and never match.',
    ],
    ['delay::number >= 1000', expect.stringMatching(/^2 6 7 8; 1 row with/)],
    ['delay::number<0', expect.stringMatching(/^3; 1 row/)],
    ['delay::number <> 995', expect.stringMatching(/^2 3 6 7 8; 1 row/)],
    ['delay::number > 9007199254740992', expect.stringMatching(/^6; 1 row/)],
    ["delay::text < '1'", '3 5'],
    ['day::date >= 2026-02-01', '2 3 6 7 8'],
    ['day < 2026-01-31', '5'],
    ["day >= '2026-02-01 00:00:00'", '2 3 6 7 8'],
    ['at > 2026-01-31T10:00:00Z', '2 3 4'],
    ['at::timestamp <= 2026-01-30', '6 7 8'],
    [
      'mixed::date > 2026-06-01',
      '4; 1 row with other values than dates in mixed, such as "soon", cannot be compared and never match.',
    ],
    [
      'delay >= 1000',
      expect.stringMatching(/^delay is text, such as "995", in which .*: delay::number >= 1000 \(or ::date/),
    ],
    [
      'mixed > 2026-06-01',
      expect.stringMatching(/^mixed is text, such as "soon", .*: mixed::date > 2026-06-01 \(or/),
    ],
    [
      'day > monday',
      expect.stringMatching(/^day is text, such as "2026-01-31", .*: day::text > monday \(or/),
    ],
    ['delay::number > many', '"many" is no number: compare delay with a number.'],
    ['delay::float > 1', expect.stringContaining('there are ::number, ::date, ::timestamp, ::text')],
    ['nothing = 1', expect.stringContaining('column does not exist')],
    ['delay', expect.stringContaining('is no condition')],
  ])('%s on text: %s', async (where, found) => {
    expect(await chosen(tableId, where)).toEqual(found)
  })

  it.each([
    ['delay >= 1000', '2'],
    ['delay::number < 1000', '1'],
    ['day::timestamp > 2026-01-31', '2'],
    ['kind > 5', '2'],
    ['kind::number > 9', '1'],
    ['delay::text < 2', '2'],
    ["delay = ''", '3'],
  ])('%s on typed columns: %s', async (where, found) => {
    expect(await chosen(typed, where)).toBe(found)
  })

  it('counts what cannot be compared among the rows that the others choose', async () => {
    expect(await chosen(tableId, 'id::number > 4', 'delay::number > 0')).toBe('6 7 8')
  })

  it('deletes what it counts, and nothing that cannot be compared', async () => {
    const id = await service.createTable(bucketId, newName(), csv)
    const remove = async (where: string[]) => {
      const { status, body } = await service.call('DELETE', `/v2/storage/tables/${id}/rows`, { where })
      await service.jobsEnded()
      return [status, body.error]
    }
    expect(await remove(['delay < 1000'])).toEqual([400, expect.stringContaining('delay::number < 1000')])
    expect(await remove(['delay::number < 1000'])).toEqual([202, undefined])
    expect(await chosen(id)).toBe('2 4 5 6 7 8')
  })

  it('filters of clients keep their meaning: text by letters', async () => {
    const filter = {
      'whereFilters[0][column]': 'delay',
      'whereFilters[0][operator]': 'ge',
      'whereFilters[0][values][]': '1000',
    }
    const { body } = await service.call(
      'GET',
      `/v2/storage/tables/${tableId}/data-preview?format=json&columns=id&${new URLSearchParams(filter)}`,
    )
    expect(body.rows.map(([cell]: { value: string }[]) => cell?.value)).toEqual([
      '1',
      '2',
      '4',
      '6',
      '7',
      '8',
    ])
  })

  it.each(["it's", "'quoted'", ' a ', '>= 1', 'a::b', 'line\nend', ''])(
    '%j is written and read back',
    value => {
      const condition = { column: 'c', operator: 'le', value, type: 'text' } as const
      expect(parseCondition(writeCondition(condition))).toEqual(condition)
    },
  )
})
