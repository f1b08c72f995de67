import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'
import { createTableViews } from '#support/table-views.ts'

const { service, bucketId, newName, load } = await startTableRoutes()
const { history } = createTableViews(service)

const content = (first: number, count: number): string =>
  `id,a\n${Array.from({ length: count }, (_, index) => `${first + index},a\n`).join('')}`

/** Loads of one to three rows, whose ids go on. Resolves to what the table must hold after each. */
const play = async (tableId: string, loads: readonly number[]): Promise<string[][]> => {
  const states: string[][] = []
  let next = 0
  for (const count of loads) {
    const dataFileId = await service.upload(content(next, count))
    const { body: job } = await load(tableId, { dataFileId, incremental: 1 })
    expect(job.status).toBe('success')
    next += count
    states.push(Array.from({ length: next }, (_, id) => String(id)).toSorted())
  }
  return states
}

const rises = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))

// More than 16 small files are joined: each sequence of loads has some that do so.
it.each([
  ['without a key', {}],
  ['with a key', { primaryKey: 'id' }],
])('a table %s that only grows gives each row once by its increments', async (_, settings) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 18, maxLength: 36 }),
      async loads => {
        const tableId = await service.createTable(bucketId, newName(), 'id,a\n', settings)
        const states = await play(tableId, loads)
        const snapshots = await history(tableId)
        expect(snapshots.every(({ operation }) => operation === 'append' || operation === 'replace')).toBe(
          true,
        )
        expect(snapshots.some(({ operation }) => operation === 'replace')).toBe(true)
        const appends = snapshots.filter(({ operation }) => operation === 'append')
        expect(appends.map(({ addedRows }) => addedRows)).toEqual(loads)
        // No snapshot shows anything that the head has not shown.
        expect(appends.map(({ first }) => first)).toEqual(states)
        for (const [index, { operation, first }] of snapshots.entries())
          if (operation === 'replace') expect(first).toEqual(snapshots[index - 1]?.first)
        expect(rises(snapshots.map(({ timeMs }) => timeMs))).toBe(true)
        expect(rises(snapshots.map(({ sequence }) => sequence))).toBe(true)
      },
    ),
    { numRuns: 2 },
  )
})

it('each change has the specification’s word for it', async () => {
  const tableId = await service.createTable(bucketId, newName(), 'id,a\n1,a\n2,b\n', { primaryKey: 'id' })
  const submit = async (method: string, path: string, body?: unknown) => {
    expect((await service.call(method, `/v2/storage/tables/${tableId}${path}`, body)).body.status).toBe(
      'success',
    )
  }
  const loadText = async (text: string, settings = {}) =>
    submit('POST', '/import-async', { dataFileId: await service.upload(text), ...settings })
  await loadText('id,a\n2,c\n', { incremental: 1 })
  await loadText('id,a\n3,c\n', { incremental: 1 })
  await submit('DELETE', '/rows?whereColumn=id&whereValues[]=1')
  await loadText('id,a\n7,x\n')
  await submit('DELETE', '/rows?allowTruncate=1')
  expect((await history(tableId)).map(({ operation, rows }) => [operation, rows])).toEqual([
    ['append', 2],
    ['overwrite', 2],
    ['append', 3],
    ['delete', 2],
    ['overwrite', 1],
    ['delete', 0],
  ])
})
