import { describe, expect, it } from 'vitest'
import { landingRules } from '#functions/start-import/landing-rules.ts'
import { landingTarget, whyIgnored } from '#functions/start-import/landing-target.ts'
import { UserError } from '#lib/errors/errors.ts'

describe('key convention', () => {
  it.each([
    ['in.c-main/orders.csv', 'in.c-main.orders'],
    ['in.c-main/orders.csv.gz', 'in.c-main.orders'],
    ['out.c-my_bucket-2/Orders-2026_11.csv', 'out.c-my_bucket-2.Orders-2026_11'],
    ['in.c-main/orders/2026-11-01.csv', 'in.c-main.orders'],
    ['in.c-main/orders/2026/11/part 1.csv.gz', 'in.c-main.orders'],
    ['in.c-main/orders.parquet', 'in.c-main.orders'],
    ['in.c-main/orders/part 1.parquet', 'in.c-main.orders'],
    ['in.c-main/orders.parquet.gz', undefined],
    ['in.c-main/orders.jsonl', 'in.c-main.orders'],
    ['in.c-main/orders/2026.ndjson.gz', 'in.c-main.orders'],
    ['in.c-main/orders.json', 'in.c-main.orders'],
    ['in.c-main/orders/1.JSON.gz', 'in.c-main.orders'],
    ['in.c-main/orders/.csv', undefined],
    ['in.c-main/orders/ä.b.c.csv', 'in.c-main.orders'],
    ['in.c-main/orders.tsv', 'in.c-main.orders'],
    ['in.c-main/orders/1.TXT.gz', 'in.c-main.orders'],
    ['in.c-main/orders.CSV', 'in.c-main.orders'],
    ['in.c-main/orders.Csv.GZ', 'in.c-main.orders'],
    ['in.c-main/orders/a\nb.Parquet', 'in.c-main.orders'],
    ['in.c-main/orders', undefined],
    ['in.c-main/orders.csv.zip', undefined],
    ['orders.csv', undefined],
    ['/in.c-main/orders.csv', undefined],
    ['in.c-main//orders.csv', undefined],
    ['main/orders.csv', undefined],
    ['sys.c-main/orders.csv', undefined],
    ['in.main/orders.csv', undefined],
    ['in.c-main/orders.v2.csv', undefined],
    ['in.c-main/my orders.csv', undefined],
    ['../in.c-main/orders.csv', undefined],
  ])('%s -> %s', (key, tableId) => {
    if (tableId) expect(landingTarget(key, {}).tableId).toBe(tableId)
    else expect(() => landingTarget(key, {})).toThrow(UserError)
  })

  it('the refusal shows a key that would work', () => {
    expect(() => landingTarget('orders.csv', {})).toThrow(/in\.c-main\/orders\.csv/)
    expect(() => landingTarget('in.c-main/orders.csv.bz2', {})).toThrow(/bzip2.*gzip instead/)
    expect(() => landingTarget('in.c-main/orders.xlsx', {})).toThrow(/save the sheet as "CSV UTF-8"/)
  })
})

describe('a key that brings no file', () => {
  it.each([
    ['in.c-main/orders/', true],
    ['in.c-main/orders/_SUCCESS', true],
    ['in.c-main/orders/_committed_17', true],
    ['in.c-main/orders/.part-0.csv.crc', true],
    ['in.c-main/._orders.csv', true],
    ['in.c-main/_orders.csv', false],
    ['in.c-main/orders/_part.PARQUET', false],
    ['_in/orders.csv', false],
    ['in.c-main/orders', false],
  ])('%s: %j', (key, isIgnored) => {
    expect(whyIgnored(key) !== undefined).toBe(isIgnored)
  })
})

describe('defaults and user metadata', () => {
  it('a full load without primary key, as the service reads CSV by default', () => {
    expect(landingTarget('in.c-main/orders.csv', {})).toEqual({
      bucketId: 'in.c-main',
      tableName: 'orders',
      tableId: 'in.c-main.orders',
      primaryKey: [],
      incremental: false,
    })
  })

  it.each([
    ['in.c-main/orders.tsv', {}, '\t'],
    ['in.c-main/orders/a.TXT.gz', {}, '\t'],
    ['in.c-main/orders.tsv', { delimiter: ',' }, ','],
    ['in.c-main/orders.csv', {}, undefined],
  ])('cells of %s with %j are separated by %j', (key, metadata, delimiter) => {
    expect(landingTarget(key, metadata).delimiter).toBe(delimiter)
  })

  it('each override is read', () => {
    const metadata = {
      'primary-key': 'id, region',
      incremental: '1',
      delimiter: '\t',
      enclosure: "'",
      columns: 'id,region,amount',
      types: 'Detect',
    }
    expect(landingTarget('in.c-main/orders.csv', metadata)).toMatchObject({
      primaryKey: ['id', 'region'],
      incremental: true,
      delimiter: '\t',
      enclosure: "'",
      columns: ['id', 'region', 'amount'],
      types: 'detect',
    })
    expect(() => landingTarget('in.c-main/orders.csv', { types: 'auto' })).toThrow('text or detect')
  })

  it.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['False', false],
    ['', false],
  ])('incremental "%s" is %s', (incremental, expected) => {
    expect(landingTarget('in.c-main/orders.csv', { incremental }).incremental).toBe(expected)
  })

  it('an incremental that is neither is refused by name', () => {
    expect(() => landingTarget('in.c-main/orders.csv', { incremental: 'yes please' })).toThrow(/yes please/)
  })

  it.each([
    ['primarykey', 'primary-key'],
    ['primary_key', 'primary-key'],
    ['primary-keys', 'primary-key'],
    ['delimeter', 'delimiter'],
    ['incremetal', 'incremental'],
    ['inkremental', 'incremental'],
    ['enclosures', 'enclosure'],
    ['column', 'columns'],
  ])('"%s" is refused with the right spelling, %s', (name, meant) => {
    expect(() => landingTarget('in.c-main/orders.csv', { [name]: 'id' })).toThrow(`"${meant}"`)
  })

  it.each([
    'uploaded-by',
    'mtime',
    's3cmd-attrs',
    'md5chksum',
    'sha256',
    'goog-reserved-file-mtime',
    'crc32c',
    'x-amz-meta-source',
    'content-md5',
    'unencrypted-content-length',
    'key',
    'filename',
    'origin',
    'owner',
    'version',
    'inserted',
  ])('"%s", metadata of another tool, is no business of ours', name => {
    expect(landingTarget('in.c-main/orders.csv', { [name]: 'anything; at|all' })).toEqual(
      landingTarget('in.c-main/orders.csv', {}),
    )
  })

  it.each(['primary-key', 'columns'])('a list in "%s" is separated by commas', name => {
    expect(() => landingTarget('in.c-main/orders.csv', { [name]: 'id;name' })).toThrow(/commas/)
  })
})

describe('rules of the stack configuration', () => {
  const rules = landingRules.parse([
    {
      match: '^sales/(?<year>\\d{4})/.+\\.tsv$',
      tableId: 'in.c-sales.orders_{year}',
      delimiter: '\t',
      incremental: true,
    },
    { match: '^in\\.c-main/', tableId: 'in.c-other.taken' },
  ])

  it('fill the table id from named groups', () => {
    expect(landingTarget('sales/2026/a.tsv', {}, rules)).toMatchObject({
      tableId: 'in.c-sales.orders_2026',
      delimiter: '\t',
      incremental: true,
    })
  })

  it('come before the convention', () => {
    expect(landingTarget('in.c-main/orders.csv', {}, rules).tableId).toBe('in.c-other.taken')
  })

  it('give way to metadata of the object', () => {
    expect(landingTarget('sales/2026/a.tsv', { incremental: '0' }, rules).incremental).toBe(false)
  })

  it('that would try a key in very many ways are given up with a sentence', () => {
    const costly = landingRules.parse([{ match: '^(a+)+$', tableId: 'in.c-main.a' }])
    expect(() => landingTarget(`${'a'.repeat(40)}!`, {}, costly)).toThrow(/"\^\(a\+\)\+\$" takes too long/)
    expect(landingTarget('aaa', {}, costly).tableId).toBe('in.c-main.a')
  })

  it('must still name a table id', () => {
    const broken = landingRules.parse([{ match: '(?<name>.+)', tableId: 'in.c-main.{name}' }])
    expect(() => landingTarget('a/b', {}, broken)).toThrow(/in\.c-main\.a\/b/)
  })

  it.each([
    [[{ match: '(', tableId: 'in.c-main.a' }]],
    [[{ tableId: 'in.c-main.a' }]],
    [[{ match: 'a', tableId: 'in.c-main.a', primarykey: ['id'] }]],
  ])('%j is refused when the stack is made', rule => {
    expect(landingRules.safeParse(rule).success).toBe(false)
  })
})

describe('what the table says', () => {
  const settings = { incremental: '1', types: 'detect', delimiter: ';', columns: 'id,n' }
  const rules = [{ match: '^sales/.+$', tableId: 'in.c-main.sales', incremental: false, delimiter: '|' }]

  it.each([
    [
      'fills what nobody else says',
      'in.c-main/orders/1.csv',
      {},
      { incremental: true, types: 'detect', delimiter: ';' },
    ],
    ['stands above the name of the file', 'in.c-main/orders/1.tsv', {}, { delimiter: ';' }],
    ['stands below a rule', 'sales/1.csv', {}, { incremental: false, delimiter: '|', types: 'detect' }],
    [
      'stands below the object',
      'in.c-main/orders/1.csv',
      { incremental: '0', types: 'text' },
      { incremental: false, types: 'text' },
    ],
  ])('%s', (_, key, metadata, target) => {
    expect(landingTarget(key, metadata, rules, settings)).toMatchObject({ ...target, columns: ['id', 'n'] })
  })
})
