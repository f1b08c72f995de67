import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  columnsWithGaps,
  MAX_STATEMENT_BYTES,
  mergeStatement,
  optimizeStatement,
  timestampLiteral,
} from '#lib/distributed/statements.ts'
import { glueColumnName, glueTableName, refuseSharedNames } from '#lib/iceberg/glue/glue-names.ts'
import type { TableField } from '#lib/table-engine/files/snapshot.ts'
import type { FieldType } from '#lib/table-engine/types/field-type.ts'
import { parseStatement } from '#local/runtime/athena/parse-statement.ts'
import { runs } from '#support/thorough.ts'
import { trinoErrors } from '#support/trino-grammar.ts'

const database = 'millrace_tables'
const fieldsOf = (names: string[]): TableField[] =>
  names.map((name, index) => ({ id: index + 2, name, type: 'string' }))

const merge = (names: string[], primaryKey: string[], gaps: number[] = []): string =>
  mergeStatement({
    target: { database, name: 'merge_7' },
    staging: { database, name: 'staging_7' },
    fields: fieldsOf(names),
    primaryKey,
    gaps: new Set(gaps),
    loadedAt: new Date('2026-11-21T22:41:09.123Z'),
  })

it('merges the last record of each key where a value differs', () => {
  const statement = merge(['id', 'Amount', 'note'], ['id'], [4])
  expect(statement.split('\n')).toEqual([
    'MERGE INTO "millrace_tables"."merge_7" t',
    'USING (SELECT c2, c3, c4 FROM (SELECT c2, c3, c4, row_number() OVER (PARTITION BY c2 ORDER BY "_load_range" DESC, "_load_row" DESC) AS place FROM "millrace_tables"."staging_7") WHERE place = 1) s',
    'ON (t."id" = s.c2)',
    `WHEN MATCHED AND (t."amount" IS DISTINCT FROM s.c3 OR coalesce(t."note", '') IS DISTINCT FROM s.c4)`,
    `THEN UPDATE SET "amount" = s.c3, "note" = s.c4, "_timestamp" = TIMESTAMP '2026-11-21 22:41:09.123000 UTC'`,
    `WHEN NOT MATCHED THEN INSERT VALUES (s.c2, s.c3, s.c4, TIMESTAMP '2026-11-21 22:41:09.123000 UTC')`,
  ])
  expect(trinoErrors(statement)).toEqual([])
})

it('packs the files of a table by a statement that only Athena knows, and stands for one of Trino', () => {
  const statement = optimizeStatement({ database, name: 'merge_7' })
  expect(statement).toBe('OPTIMIZE millrace_tables.merge_7 REWRITE DATA USING BIN_PACK')
  const inTrino = (text: string) =>
    text.replace(/^OPTIMIZE (.+) REWRITE DATA USING BIN_PACK$/, 'ALTER TABLE $1 EXECUTE optimize')
  expect(trinoErrors(inTrino(statement))).toEqual([])
  // The grammar sees a name that would need quotes.
  const broken = optimizeStatement({ database, name: '7 merge' })
  expect(trinoErrors(inTrino(broken))).not.toEqual([])
})

it('changes no row of a table that has key columns only', () => {
  const statement = merge(['a', 'b'], ['a', 'b'])
  expect(statement).not.toContain('WHEN MATCHED')
  expect(trinoErrors(statement)).toEqual([])
})

const types: FieldType[] = [
  'string',
  'long',
  'double',
  'boolean',
  'date',
  'timestamp',
  'timestamptz',
  'decimal(9,2)',
]
const rules = { nullable: true }

it('compares the key of a typed table by equalities, also where it may be NULL', () => {
  const statementOf = (fields: TableField[]) =>
    mergeStatement({
      target: { database, name: 'merge_7' },
      staging: { database, name: 'staging_7' },
      fields,
      primaryKey: ['a'],
      gaps: new Set([2, 3]),
      loadedAt: new Date(0),
    })
  const value: TableField = { id: 3, name: 'b', type: 'double', rules }
  for (const type of types) {
    const required = statementOf([{ id: 2, name: 'a', type, rules: { nullable: false } }, value])
    expect(required).toContain('ON (t."a" = s.c2)')
    expect(required).toContain('t."b" IS DISTINCT FROM s.c3')
    const nullable = statementOf([{ id: 2, name: 'a', type, rules }, value])
    expect(nullable).toMatch(
      /^ON \(coalesce\(t\."a", (.+)\) = coalesce\(s\.c2, \1\) AND \(t\."a" IS NULL\) = \(s\.c2 IS NULL\)\)$/m,
    )
    for (const statement of [required, nullable]) {
      expect(trinoErrors(statement)).toEqual([])
      expect(parseStatement(statement).merge).toBeDefined()
    }
  }
})

it('writes what the grammar of Trino takes, whatever the columns are called', () => {
  const name = fc.string({ minLength: 1, maxLength: 12 }).filter(text => !text.includes('\0'))
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6, selector: text => text.toLowerCase() })
  fc.assert(
    fc.property(names, fc.nat(), (columns, pick) => {
      const key = columns[pick % columns.length] ?? ''
      expect(trinoErrors(merge(columns, [key], [2]))).toEqual([])
    }),
    { numRuns: runs(40) },
  )
})

it.each([
  ['a missing word', (text: string) => text.replace('USING', '')],
  ['a quote that does not end', (text: string) => text.replace('"id"', '"id')],
  ['no values', (text: string) => text.replace(/VALUES .*/, 'VALUES')],
  ['a wrong condition', (text: string) => text.replace('IS DISTINCT FROM', 'IS DIFFERENT TO')],
])('the grammar sees %s', (_, broken) => {
  const statement = merge(['id', 'note'], ['id'])
  expect(broken(statement)).not.toBe(statement)
  expect(trinoErrors(broken(statement))).not.toEqual([])
})

it('fits 1,000 columns of the longest names into the text of a query', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`.padEnd(64, 'x'))
  const gaps = names.map((_, index) => index + 2)
  expect(Buffer.byteLength(merge(names, names.slice(0, 1), gaps))).toBeLessThan(MAX_STATEMENT_BYTES)
})

it('refuses a table whose query Athena would not take', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `c${index}`.padEnd(64, 'x'))
  expect(() => merge(names, names.slice(0, 1))).toThrow(
    expect.objectContaining({ code: 'storage.tables.distributed.tooManyColumns' }),
  )
})

it('writes times with microseconds, in UTC', () => {
  expect(timestampLiteral(new Date(0))).toBe(`TIMESTAMP '1970-01-01 00:00:00.000000 UTC'`)
})

it('finds the columns that a file lacks or says nothing about', () => {
  const fields = fieldsOf(['id', 'note'])
  const all = { statistics: { 2: {}, 3: {} } }
  expect(columnsWithGaps(fields, [all])).toEqual(new Set())
  expect(columnsWithGaps(fields, [all, { statistics: { 2: {} } }])).toEqual(new Set([3]))
  expect(columnsWithGaps(fields, [all, {}])).toEqual(new Set([2, 3]))
})

it('gives any table and column a name that Glue and Athena take', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.string({ minLength: 1 }),
      fc.nat(),
      (bucket, name, internalId) => {
        const table = glueTableName({ bucketId: `in.${bucket}`, name, internalId })
        expect(table).toMatch(/^[a-z0-9][a-z0-9_]{0,254}$/)
        expect(table.endsWith(`_${internalId}`)).toBe(true)
        expect(glueColumnName(name)).toMatch(/^[a-z0-9_]+$/)
        expect(glueColumnName(glueColumnName(name))).toBe(glueColumnName(name))
      },
    ),
  )
  expect(glueTableName({ bucketId: 'in.c-main', name: 'orders.v2', internalId: 12 })).toBe(
    'in_c_main__orders_v2_12',
  )
})

it('refuses columns exactly when two would get one name', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 8 }), names => {
      const isShared = new Set(names.map(glueColumnName)).size < names.length
      const check = () => refuseSharedNames('in.c-main.orders', fieldsOf(names))
      if (isShared)
        expect(check).toThrow(expect.objectContaining({ code: 'storage.tables.distributed.columnNames' }))
      else expect(check).not.toThrow()
    }),
  )
  const shared = fieldsOf(['a b', 'id', 'A.B'])
  expect(() => refuseSharedNames('in.c-main.orders', shared)).toThrow('"a b" and "A.B"')
})
