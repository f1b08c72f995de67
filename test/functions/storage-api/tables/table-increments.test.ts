import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'
import { createTableViews } from '#support/table-views.ts'
import { runs } from '#support/thorough.ts'

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

// More than eight small files are joined: each sequence of loads has some that do so.
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

type Change =
  | { kind: 'add' | 'full'; ids: number[]; a: string }
  | { kind: 'delete'; ids: number[] }
  | { kind: 'empty' }

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 5 })
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('add' as const), ids, a: fc.constantFrom('x', 'y') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('full' as const), ids, a: fc.constant('z') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), ids }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'empty' as const }) },
)

/** The rows after a change, and the word for it; `undefined`: nothing has changed. */
const after = (rows: readonly string[], change: Change, isKeyed: boolean): [string[], string | undefined] => {
  if (change.kind === 'empty') return [[], rows.length > 0 ? 'delete' : undefined]
  const named = new Set(change.ids.map(String))
  const idOf = (row: string): string => row.split(',')[0] ?? ''
  if (change.kind === 'delete') {
    const left = rows.filter(row => !named.has(idOf(row)))
    return [left, left.length < rows.length ? 'delete' : undefined]
  }
  const added = change.ids.map(id => `${id},${change.a}`)
  if (change.kind === 'full') return [added, rows.length > 0 ? 'overwrite' : 'append']
  if (!isKeyed) return [[...rows, ...added], 'append']
  const fresh = added.filter(row => !rows.includes(row))
  const changed = rows.filter(row => fresh.some(other => idOf(other) === idOf(row)))
  const word = fresh.length === 0 ? undefined : changed.length > 0 ? 'overwrite' : 'append'
  return [[...rows.filter(row => !changed.includes(row)), ...fresh], word]
}

it.each([
  ['without a key', {}],
  ['with a key', { primaryKey: 'id' }],
])(
  'any history of a table %s shows what its head has shown, each under the word for it',
  async (_, settings) => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 8, maxLength: 24 }), async changes => {
        const tableId = await service.createTable(bucketId, newName(), 'id,a\n', settings)
        const states: [string, string[]][] = []
        let rows: string[] = []
        for (const change of changes) {
          const [next, word] = after(rows, change, 'primaryKey' in settings)
          rows = next
          await apply(tableId, change)
          if (word) states.push([word, rows.map(row => row.split(',')[0] ?? '').toSorted()])
        }
        const snapshots = await history(tableId)
        const shown = snapshots.filter(({ operation }) => operation !== 'replace')
        expect(shown.map(({ first }) => first)).toEqual(states.map(([, first]) => first))
        for (const [index, { operation, addedRows }] of shown.entries()) {
          const word = states[index]?.[0]
          // What is left of a file may be written anew: that is no mere deletion any more.
          expect(operation).toBe(word === 'delete' && addedRows > 0 ? 'overwrite' : word)
        }
        for (const [index, { operation, first }] of snapshots.entries())
          if (operation === 'replace') expect(first).toEqual(snapshots[index - 1]?.first)
        expect(rises(snapshots.map(({ timeMs }) => timeMs))).toBe(true)
        expect(rises(snapshots.map(({ sequence }) => sequence))).toBe(true)
      }),
      { numRuns: runs(6) },
    )
  },
)

const apply = async (tableId: string, change: Change): Promise<void> => {
  const send = async () => {
    if (change.kind === 'empty') return remove(tableId, 'allowTruncate=1')
    if (change.kind === 'delete')
      return remove(tableId, `whereColumn=id${change.ids.map(id => `&whereValues[]=${id}`).join('')}`)
    const dataFileId = await service.upload(`id,a\n${change.ids.map(id => `${id},${change.a}\n`).join('')}`)
    return load(tableId, { dataFileId, ...(change.kind === 'add' && { incremental: 1 }) })
  }
  expect((await send()).body.status).toBe('success')
}

const remove = (tableId: string, query: string) =>
  service.call('DELETE', `/v2/storage/tables/${tableId}/rows?${query}`)
