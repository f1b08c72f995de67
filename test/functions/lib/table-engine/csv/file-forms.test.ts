import { describe, expect, it } from 'vitest'
import { FORM_BYTES, formOf, refusedName } from '#lib/table-engine/csv/file-forms.ts'

const zipOf = (name: string): string => `PK\x03\x04${'\0'.repeat(26)}${name}`

describe('the form of a file', () => {
  it.each([
    ['[id],name\n', 'CSV'],
    ['id,{"a"}\n', 'CSV'],
    ['ORC\n1\n', 'CSV'],
    ['x^2,y\n1,2\n', 'CSV'],
    ['BZh91AY,LZIP\n', 'CSV'],
    ['', 'CSV'],
    ['{}', 'JSON lines'],
    [' \n{"a":1}\n{"a":2}', 'JSON lines'],
    [`{"a":"${'x'.repeat(FORM_BYTES)}`, 'JSON lines'],
    ['[\n  {"a": 1}', 'JSON'],
    ['[]', 'JSON'],
    ['\xef\xbb\xbf[{}]', 'JSON'],
    ['PAR1\x15', 'Parquet'],
    ['\x1f\x8b', 'gzip'],
  ])('of %j is %s', (head, kind) => {
    expect(formOf(Buffer.from(head, 'latin1')).kind).toBe(kind)
  })

  it.each([
    ['%PDF-1.7', /PDF/],
    [zipOf('data.csv'), /ZIP archive.*Unpack/],
    ['PK\x05\x06', /ZIP archive/],
    [zipOf('[Content_Types].xml'), /Excel workbook.*save the sheet as "CSV UTF-8"/],
    [zipOf('xl/workbook.xml'), /Excel workbook/],
    [zipOf('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), /OpenDocument.*save the sheet/],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /old Excel workbook.*save the sheet/],
    ...[1, 5, 9].map((level): [string, RegExp] => [`BZh${level}1AY&SY\x94`, /bzip2.*gzip instead/]),
    ['\xfd7zXZ\0\0', /xz/],
    ['(\xb5/\xfd\x04', /Zstandard/],
    ['\x04"M\x18d', /LZ4/],
    ['\xff\x06\0\0sNaPpY', /Snappy/],
    ['x\x9c\xcbL', /zlib/],
    ['x^\xcbL', /zlib/],
    ['\x1f\x9d\x90', /compress/],
    ['ORC\n\x03\0\0', /ORC/],
    ['Obj\x01', /Avro/],
    ['\xff\xfea\0', /UTF-16/],
    ['{"data": [\n{"a": 1}]}', /one JSON document.*\.data/],
  ])('%j is refused by its name', (head, sentence) => {
    expect(formOf(Buffer.from(head, 'latin1'))).toMatchObject({
      kind: 'other',
      refused: expect.stringMatching(sentence),
    })
  })

  it.each([
    ['orders.csv.bz2', /bzip2/],
    ['orders.csv.SNAPPY', /Snappy/],
    ['orders.xlsx', /workbook.*CSV UTF-8/],
    ['orders.zip', /ZIP/],
    ['orders.csv.gz', undefined],
    ['orders.csv', undefined],
  ])('of what is called %s is known', (name, sentence) => {
    if (sentence === undefined) expect(refusedName(name)).toBeUndefined()
    else expect(refusedName(name)).toMatch(sentence)
  })
})
