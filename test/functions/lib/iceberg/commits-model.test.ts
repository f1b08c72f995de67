import fc from 'fast-check'
import { expect, it } from 'vitest'
import { locationsOf, withoutOldSnapshots } from '#lib/iceberg/commit/expire-snapshots.ts'
import type { CommitPlan } from '#lib/iceberg/commit/plan-commit.ts'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { readRows } from '#support/iceberg/read-rows.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { createParquetFiles } from './support/parquet-files.ts'
import { createTableWriter, dataFile, textField } from './support/table-writer.ts'

const parquet = await untilEnd(createParquetFiles())

interface ModelFile {
  file: DataFile
  rows: Map<number, string>[]
  deleted: Set<number>
  deletes?: DataFile
}

type Row = Record<string, string>
const inOrder = (rows: readonly Row[]): string[] =>
  rows.map(row => JSON.stringify(Object.entries(row).toSorted())).toSorted()

/** A column that a file lacks has no value there. */
const withValues = (row: Record<string, unknown>): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

/** The table that is committed, and beside it what it must hold. */
const createTable = () => {
  const writer = createTableWriter()
  let files: ModelFile[] = []
  let columns = [textField(2, 'a')]
  let lastColumnId = 2
  let fileCount = 0
  let last: CommitPlan | undefined

  const pick = (index: number): ModelFile | undefined => files[index % Math.max(1, files.length)]

  const steps = {
    async append(values: string[]) {
      const written = columns.map(({ id, name }) => ({ id, name }))
      const rows = values.map(value => new Map(written.map(({ id }) => [id, `${value}${id}`])))
      const content = await parquet.write(
        written,
        values.map(value => written.map(({ id }) => `${value}${id}`)),
      )
      const file = writer.keep(dataFile(`f${fileCount++}`, content, rows.length), content)
      files.push({ file, rows, deleted: new Set() })
      last = await writer.commit({ operation: 'append', added: [file], fields: columns })
    },
    async removeFile(index: number) {
      const target = pick(index)
      if (!target) return
      files = files.filter(file => file !== target)
      last = await writer.commit({
        operation: 'delete',
        removedData: new Set([target.file.path]),
        removedDeletes: new Set(target.deletes ? [target.deletes.path] : []),
      })
    },
    async deleteRows(index: number, positions: number[]) {
      const target = pick(index)
      if (!target) return
      for (const position of positions) target.deleted.add(position % target.rows.length)
      const sorted = [...target.deleted].toSorted((left, right) => left - right)
      const content = await parquet.write(
        [
          { id: 2147483546, name: 'file_path' },
          { id: 2147483545, name: 'pos', type: 'BIGINT' },
        ],
        sorted.map(position => [target.file.path, String(position)]),
      )
      const deletes = writer.keep(
        dataFile(`d${fileCount++}`, content, sorted.length, {
          content: 'positionDeletes',
          referencedDataFile: target.file.path,
        }),
        content,
      )
      last = await writer.commit({
        added: [deletes],
        removedDeletes: new Set(target.deletes ? [target.deletes.path] : []),
      })
      target.deletes = deletes
    },
    async addColumn() {
      const name = ['a', 'b', 'c', 'd'].find(free => columns.every(column => column.name !== free))
      if (!name) return
      columns = [...columns, textField(++lastColumnId, name)]
      last = await writer.commit({ fields: columns, lastColumnId })
    },
    async dropColumn(index: number) {
      if (columns.length < 2) return
      columns = columns.toSpliced(index % columns.length, 1)
      last = await writer.commit({ fields: columns, lastColumnId })
    },
    async expire() {
      if (!last) return
      const before = last.metadata
      last = await writer.commit({ properties: {} }, { expire: { beforeMs: before['last-updated-ms'] + 1 } })
      const { expired } = withoutOldSnapshots(before, { beforeMs: before['last-updated-ms'] + 1 })
      const named = await locationsOf(writer.read, last.metadata.snapshots)
      for (const location of (await locationsOf(writer.read, expired)).difference(named))
        writer.objects.delete(location)
      for (const location of await locationsOf(writer.read, last.metadata.snapshots))
        expect(writer.objects.has(location)).toBe(true)
    },
  }

  return {
    steps,
    expected: (): string[] =>
      inOrder(
        files.flatMap(({ rows, deleted }) =>
          rows
            .filter((_, position) => !deleted.has(position))
            .map(row => withValues(Object.fromEntries(columns.map(({ id, name }) => [name, row.get(id)])))),
        ),
      ),
    icebirdView: async (): Promise<string[]> =>
      last ? inOrder((await icebirdRows(writer.read, last.location)).map(withValues)) : [],
    ourView: async (): Promise<string[]> => {
      if (!last) return []
      const { columns: names, rows } = await readRows(writer.read, last.metadata)
      return inOrder(
        rows.map(row => withValues(Object.fromEntries(names.map((name, index) => [name, row[index]])))),
      )
    },
  }
}

type Steps = ReturnType<typeof createTable>['steps']

const step: fc.Arbitrary<(steps: Steps) => Promise<void>> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.string({ maxLength: 5 }).map(text => text.replaceAll('\0', '')),
        { minLength: 1, maxLength: 4 },
      )
      .map(values => (steps: Steps) => steps.append(values)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(9), fc.array(fc.nat(9), { minLength: 1, maxLength: 3 })).map(
      ([file, rows]) =>
        (steps: Steps) =>
          steps.deleteRows(file, rows),
    ),
  },
  { weight: 1, arbitrary: fc.nat(9).map(file => (steps: Steps) => steps.removeFile(file)) },
  { weight: 1, arbitrary: fc.constant((steps: Steps) => steps.addColumn()) },
  { weight: 1, arbitrary: fc.nat(9).map(column => (steps: Steps) => steps.dropColumn(column)) },
  { weight: 1, arbitrary: fc.constant((steps: Steps) => steps.expire()) },
)

it('after any sequence of commits icebird, our reader and the model agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async sequence => {
      const table = createTable()
      for (const take of sequence) await take(table.steps)
      const expected = table.expected()
      expect(await table.ourView()).toEqual(expected)
      expect(await table.icebirdView()).toEqual(expected)
    }),
    { numRuns: runs(25) },
  )
})
