import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { cellSql, textSql, valueLiteral } from '#lib/table-engine/types/cell-sql.ts'
import { compareValues } from '#lib/table-engine/types/compare-values.ts'
import { type CellType, rounding } from '#lib/table-engine/types/field-type.ts'
import { readBound, readCell } from '#lib/table-engine/types/read-cell.ts'

const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
afterAll(() => instance.closeSync())

const loadedAt = new Date('2026-11-21T10:00:00.5Z')
const rules = { nullable: true }

const query = async (sql: string): Promise<unknown[][]> => {
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRows()
  } finally {
    connection.closeSync()
  }
}

/** Whether DuckDB reads the text to this value, and the text that it writes for it. */
const readBySql = async (text: string, cell: CellType, value: string): Promise<unknown[]> => {
  const [row = []] = await query(`
    SELECT v = ${valueLiteral(cell.type, value)}, ${textSql('v', cell)}
    FROM (SELECT ${cellSql('x', cell, loadedAt)} AS v FROM (VALUES ('${text}')) AS t(x))`)
  return row
}

const isRefusedBySql = async (text: string, cell: CellType): Promise<boolean> =>
  query(`SELECT ${cellSql('x', cell, loadedAt)} FROM (VALUES ('${text}')) AS t(x)`).then(
    () => false,
    error => String(error).includes('cell'),
  )

describe('the value of a cell', () => {
  it.each<[CellType['type'], string, string]>([
    ['long', '007', '7'],
    ['long', '+5', '5'],
    ['long', '-0', '0'],
    ['long', '12.000', '12'],
    ['long', '9223372036854775807', '9223372036854775807'],
    ['long', '-9223372036854775808.0', '-9223372036854775808'],
    ['decimal(4,3)', '003.123', '3.123'],
    ['decimal(38,9)', '0.123', '0.123000000'],
    ['decimal(38,9)', '99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
    ['decimal(5,2)', '-.5', '-0.50'],
    ['decimal(5,2)', '999.990000', '999.99'],
    ['decimal(4,0)', '12.', '12'],
    ['double', '3.14', '3.14'],
    ['double', '-0.0', '0'],
    ['double', '0.30000000000000004', '0.30000000000000004'],
    ['double', '100', '100'],
    ['boolean', '0', 'false'],
    ['boolean', 'TRUE', 'true'],
    ['boolean', 'oFF', 'false'],
    ['date', '1989-08-31', '1989-08-31'],
    ['timestamp', '1989-08-31', '1989-08-31T00:00:00.000000'],
    ['timestamp', '1989-08-31T10:20:30.123456Z', '1989-08-31T10:20:30.123456'],
    ['timestamptz', '1989-08-31 10:20:30', '1989-08-31T10:20:30.000000Z'],
    ['timestamptz', '1989-08-31 10:20:30 +0230', '1989-08-31T07:50:30.000000Z'],
    ['timestamptz', '1989-08-31T23:20-05', '1989-09-01T04:20:00.000000Z'],
  ])('of type %s, %s, is %s', async (type, text, value) => {
    const cell = { type, rules }
    expect(readCell(text, cell)).toEqual({ value })
    const [isEqual, shown] = await readBySql(text, cell, value)
    expect(isEqual).toBe(true)
    // What is shown is a form of the same value.
    expect(readCell(String(shown), cell)).toEqual({ value })
  })

  it.each<[CellType['type'], string, string | undefined]>([
    ['long', '3.14', '3'],
    ['long', '3.5', '4'],
    ['long', '-3.5', '-4'],
    ['long', '-0.4', '0'],
    ['long', '9223372036854775806.5', '9223372036854775807'],
    ['long', '9223372036854775807.5', undefined],
    ['long', '1.2.3', undefined],
    ['decimal(5,2)', '1.234', '1.23'],
    ['decimal(5,2)', '-1.235', '-1.24'],
    ['decimal(5,2)', '.995', '1.00'],
    ['decimal(5,2)', '999.995', undefined],
    ['decimal(4,0)', '12.5', '13'],
    ['decimal(4,0)', '12.', '12'],
  ])('of type %s, %s, is %s where numbers are rounded', async (type, text, value) => {
    const cell = rounding({ type, rules }, true)
    const read = readCell(text, cell)
    expect('value' in read ? read.value : undefined).toBe(value)
    if (value === undefined) expect(await isRefusedBySql(text, cell)).toBe(true)
    else expect((await readBySql(text, cell, value))[0]).toBe(true)
  })

  it.each<[CellType['type'], string, string]>([
    ['long', 'male', 'notRecognized'],
    ['long', '1e3', 'notRecognized'],
    ['long', ' 1', 'notRecognized'],
    ['long', '12.5', 'outOfRange'],
    ['long', '9223372036854775808', 'outOfRange'],
    ['decimal(5,2)', '1000', 'outOfRange'],
    ['decimal(5,2)', '1.234', 'outOfRange'],
    ['decimal(5,2)', '.', 'notRecognized'],
    ['double', '1e400', 'outOfRange'],
    ['double', 'nan', 'notRecognized'],
    ['boolean', '222', 'notRecognized'],
    ['date', '2022-02-31', 'notRecognized'],
    ['date', '0000-01-01', 'notRecognized'],
    ['date', '2022-02-28 10:00', 'notRecognized'],
    ['timestamp', '2022-02-31 10:00:00', 'notRecognized'],
    ['timestamp', '2022-02-28 10:00:00+02:00', 'notRecognized'],
    ['timestamp', '2022-02-28 10:00:00.1234567', 'notRecognized'],
    ['timestamp', '2022-02-28 24:00:00', 'notRecognized'],
    ['timestamptz', '9999-12-31 23:59:59-01', 'outOfRange'],
  ])('of type %s is not %s: %s', async (type, text, problem) => {
    const cell = { type, rules }
    expect(readCell(text, cell)).toEqual({ problem })
    expect(await isRefusedBySql(text, cell)).toBe(true)
  })

  it('of a text has a length in characters, and of a time of day one form', async () => {
    const short = { type: 'string', rules: { nullable: true, maxLength: 2 } } as const
    expect(readCell('😀é', short)).toEqual({ value: '😀é' })
    expect(await readBySql('😀é', short, '😀é')).toEqual([true, '😀é'])
    expect(readCell('abc', short)).toEqual({ problem: 'tooLong' })
    expect(await isRefusedBySql('abc', short)).toBe(true)
    const time = { type: 'string', rules: { nullable: true, isTime: true } } as const
    expect(readCell('09:30', time)).toEqual({ value: '09:30:00' })
    expect(await readBySql('09:30:00.500', time, '09:30:00.5')).toEqual([true, '09:30:00.5'])
    expect(await isRefusedBySql('25:00', time)).toBe(true)
  })

  it('of an empty cell is NULL, or the default where NULL is not allowed, or wrong', async () => {
    const value = async (cell: CellType) =>
      (await query(`SELECT CAST(${cellSql('x', cell, loadedAt)} AS VARCHAR) FROM (VALUES ('')) AS t(x)`))[0]
    expect(await value({ type: 'long', rules })).toEqual([null])
    expect(await value({ type: 'long', rules: { nullable: true, default: '7' } })).toEqual([null])
    expect(await value({ type: 'long', rules: { nullable: false, default: '07' } })).toEqual(['7'])
    const now = { nullable: false, default: 'current_timestamp()' }
    expect(await value({ type: 'timestamp', rules: now })).toEqual(['2026-11-21 10:00:00.5'])
    expect(await isRefusedBySql('', { type: 'long', rules: { nullable: false } })).toBe(true)
    expect(await value({ type: 'string' })).toEqual([''])
  })
})

const digits = fc.stringMatching(/^[+-]?[0-9]{0,22}\.?[0-9]{0,12}(e[+-]?[0-9]{1,3})?$/)
const near = fc.stringMatching(
  /^(\d{4}-\d\d-\d\d)?[ T]?([012]\d:[0-6]\d)?(:[0-5]\d)?(\.\d{1,8})?( ?Z|[+-]\d\d:?\d\d)?$/,
)
const moment = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map(date => date.toISOString())
const words = fc.constantFrom(
  'true',
  'F',
  'yes',
  'ON',
  '0',
  '1',
  '2',
  '1989-08-31',
  '-.5',
  '5.',
  '00.10',
  '9007199254740993',
)
const text = fc.oneof(
  digits,
  near,
  moment,
  moment.map(iso => `${iso.slice(0, 19)}+01:30`),
  words,
)
const type = fc.constantFrom<CellType['type']>(
  'long',
  'decimal(10,2)',
  'decimal(38,9)',
  'decimal(6,0)',
  'double',
  'boolean',
  'date',
  'timestamp',
  'timestamptz',
)

it.each([
  ['.0', 'decimal(6,0)'],
  ['-.00', 'decimal(6,0)'],
  ['.05', 'decimal(6,1)'],
  ['.0', 'long'],
] as const)('SQL and JavaScript read %s alike as %s', async (given, of) => {
  const cell = { type: of, rules }
  const read = readCell(given, cell)
  if ('value' in read) expect((await readBySql(given, cell, read.value))[0]).toBe(true)
  else expect(await isRefusedBySql(given, cell)).toBe(true)
})

it('SQL and JavaScript read any text alike', async () => {
  await fc.assert(
    fc.asyncProperty(text, type, async (given, of) => {
      fc.pre(given !== '')
      const cell = { type: of, rules }
      const read = readCell(given, cell)
      if (!('value' in read)) {
        expect(await isRefusedBySql(given, cell)).toBe(true)
        return
      }
      const [isEqual, shown] = await readBySql(given, cell, read.value)
      expect(isEqual).toBe(true)
      expect(readCell(String(shown), cell)).toEqual(read)
    }),
    { numRuns: 400 },
  )
})

describe('the order of values', () => {
  it.each<[CellType['type'], string, string]>([
    ['long', '-10', '9'],
    ['decimal(5,2)', '9.10', '10.00'],
    ['double', '1e-7', '0.5'],
    ['boolean', 'false', 'true'],
    ['timestamptz', '0999-01-01T00:00:00.000000Z', '1000-01-01T00:00:00.000000Z'],
    ['string', '\uffff', '\u{1f600}'],
  ])('of type %s has %s before %s', (type, one, other) => {
    expect(compareValues(type, one, other)).toBeLessThan(0)
    expect(compareValues(type, other, one)).toBeGreaterThan(0)
    expect(compareValues(type, one, one)).toBe(0)
  })

  it('has a number with too many digits after the greatest value that is not above it', () => {
    const cell = { type: 'decimal(5,2)', rules } as const
    expect(readBound('1.234', cell)).toEqual({ value: '1.23', isCut: true })
    expect(readBound('-1.234', cell)).toEqual({ value: '-1.24', isCut: true })
    expect(readBound('1.230', cell)).toEqual({ value: '1.23' })
    expect(readBound('2026-11-21 10:00', { type: 'date', rules })).toEqual({
      value: '2026-11-21',
      isCut: true,
    })
  })
})
