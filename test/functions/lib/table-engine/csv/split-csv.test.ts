import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import { parseCsvDialect, RFC_4180 } from '#lib/table-engine/csv/csv-dialect.ts'
import { parseRecords } from '#lib/table-engine/csv/parse-records.ts'
import { type CsvChunk, type SplitCsvOptions, splitCsv } from '#lib/table-engine/csv/split-csv.ts'
import { overwritten } from '../support/overwritten.ts'
import { csvCase, cutAnywhere } from './support/csv-arbitrary.ts'

const split = async (
  file: string | Uint8Array | Uint8Array[],
  options: Partial<SplitCsvOptions> = {},
): Promise<CsvChunk[]> => {
  const chunks: CsvChunk[] = []
  const pieces = Array.isArray(file) ? file : [Buffer.from(file)]
  const settings = { dialect: RFC_4180, chunkBytes: 1_000_000, hasHeader: false, ...options }
  for await (const chunk of splitCsv(overwritten(pieces), settings)) chunks.push(chunk)
  return chunks
}

const toCells = (chunks: CsvChunk[], dialect = RFC_4180): string[][] =>
  chunks.flatMap(({ bytes }) => [...parseRecords(bytes, dialect)])

/** The chunks' texts, or the message of the error. */
const verdict = async (...args: Parameters<typeof split>): Promise<string[] | string> => {
  try {
    return (await split(...args)).map(({ bytes }) => bytes.toString())
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

describe('valid files', () => {
  const cases: { it: string; csv: string; records: string[][] }[] = [
    { it: 'no final line break', csv: 'a,b\nc,d', records: [['a', 'b'], ['c', 'd']] },
    { it: 'LF and CRLF mixed', csv: 'a,b\r\nc,d\n"e",f\r\n', records: [['a', 'b'], ['c', 'd'], ['e', 'f']] },
    { it: 'line breaks of all kinds in quotes', csv: '"\n","\r"\n"\r\n",\n', records: [['\n', '\r'], ['\r\n', '']] },
    { it: 'doubled quotes', csv: '"""","a""b"\n', records: [['"', 'a"b']] },
    { it: 'empty cells, quoted or not', csv: ',""\n"",\n', records: [['', ''], ['', '']] },
    { it: 'a delimiter at the very end', csv: 'a,', records: [['a', '']] },
    { it: 'blank last lines', csv: 'a,b\n1,2\r\n\n\r\n\n', records: [['a', 'b'], ['1', '2']] },
    { it: 'blank lines behind a header', csv: 'a,b\n\n\n', records: [['a', 'b']] },
    { it: 'blank lines of a single column', csv: 'a\n\n\r\nb\n', records: [['a'], [''], [''], ['b']] },
    { it: 'a byte order mark', csv: '\ufeffa\nb\n', records: [['a'], ['b']] },
    { it: 'a byte order mark before a quote', csv: '\ufeff"a"\n', records: [['a']] },
    { it: 'control characters other than NUL', csv: 'a\u0001,\u001f\n', records: [['a\u0001', '\u001f']] },
    { it: 'nothing', csv: '', records: [] },
    { it: 'only a byte order mark', csv: '\ufeff', records: [] },
  ] // biome-ignore format: one case, one line
  it.each(cases)('$it', async ({ csv, records }) => {
    expect(toCells(await split(csv))).toEqual(records)
  })

  it('gives as many records as an independent parser, and the same cells', async () => {
    await fc.assert(
      fc.asyncProperty(csvCase(), async ({ csv, rows, delimiter, enclosure }) => {
        const dialect = parseCsvDialect({ delimiter, enclosure })
        const chunks = await split(csv, { dialect, chunkBytes: 40 })
        expect(toCells(chunks, dialect)).toEqual(rows)
        const records = chunks.reduce((sum, chunk) => sum + chunk.records, 0)
        // The other parser needs to know the line end where both occur, and keeps a byte order mark.
        const oracle: string[][] = parse(csv, {
          delimiter,
          quote: enclosure,
          escape: enclosure,
          record_delimiter: ['\r\n', '\n'],
          bom: false,
        })
        expect(records).toBe(oracle.length)
      }),
      { numRuns: 300 },
    )
  })
})

describe('chunks', () => {
  it('end with the first record that reaches the size, and with a line break', async () => {
    expect(await verdict('a,b\n1,2\n3,4\n5,6', { chunkBytes: 5, hasHeader: true })).toEqual([
      'a,b\n',
      '1,2\n3,4\n',
      '5,6\n',
    ])
  })

  it('come with facts about their records', async () => {
    const [header, first, second] = await split('a\n\n"long one"\nb\r\n', { chunkBytes: 12, hasHeader: true })
    expect(header).toMatchObject({ isHeader: true, records: 1, columns: 1, bytes: Buffer.from('a\n') })
    expect(first).toMatchObject({ isHeader: false, records: 2, hasBlankLines: true })
    expect(second).toMatchObject({ records: 1, hasReturns: true, hasBlankLines: false })
  })

  it('leave out ignored lines, whatever they hold', async () => {
    expect(await verdict('made by "x\n\na,b\n', { ignoredLines: 2 })).toEqual(['a,b\n'])
    expect(await verdict('a,b\nunits "x\n1,2\n', { ignoredLines: 1, hasHeader: true })).toEqual([
      'a,b\n',
      '1,2\n',
    ])
    expect(await verdict('one\ntwo', { ignoredLines: 5 })).toEqual([])
  })

  it('are the same however the bytes arrive', async () => {
    const file = csvCase().map(({ csv }) => csv)
    const tampered = fc
      .tuple(file, fc.nat(), fc.constantFrom('"', '\r', ',', '\0', '\n', 'x'))
      .map(([csv, at, text]) => csv.slice(0, at % (csv.length + 1)) + text + csv.slice(at % (csv.length + 1)))
    const bytes = fc.oneof(
      fc.oneof(file, tampered).map(csv => Buffer.from(csv)),
      fc.tuple(file, fc.nat(), fc.constantFrom(0xff, 0xc3, 0xe2, 0x80, 0xf0)).map(([csv, at, byte]) => {
        const buffer = Buffer.from(csv)
        if (buffer.length > 0) buffer[at % buffer.length] = byte
        return buffer
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        bytes.chain(whole => fc.tuple(fc.constant(whole), cutAnywhere(whole))),
        async ([whole, pieces]) => {
          const options = { chunkBytes: 10, maxRecordBytes: 60, hasHeader: true }
          expect(await verdict(pieces, options)).toEqual(await verdict(whole, options))
        },
      ),
      // The record is as long as a record may be when the carriage return ends it.
      {
        numRuns: 500,
        examples: [
          [
            [
              Buffer.from(`a\n${'x'.repeat(60)}\r"`),
              [Buffer.from(`a\n${'x'.repeat(60)}\r`), Buffer.from('"')],
            ],
          ],
        ],
      },
    )
  })
})

describe('invalid files are refused with line, byte and advice', () => {
  const invalid = (place: string, rest: string): string => `The file is not valid CSV at ${place}: ${rest}`
  const ragged = (cells: number, columns: number, place: string): string =>
    `Load error: Number of columns in file (${cells}) does not match that of the corresponding table (${columns}) at ${place}. `
  const correct =
    'Correct this record, put cells that contain the delimiter or line breaks in quotes, and check the delimiter.'
  const nul = 'A NUL byte, which no text has. Export the file again, as text in UTF-8.'
  const notUtf8 = 'A byte that is not UTF-8. Export the file again, with encoding UTF-8.'
  const stray =
    'A quote inside a cell that does not begin with one. Put the whole cell in quotes and double the quotes inside it.'
  const afterQuote =
    'Text between a closing quote and the end of its cell. Double the quotes inside the cell, and check the delimiter.'
  const lone =
    'A carriage return without a line feed outside quotes. End lines with LF or CRLF, and put cells that contain line breaks in quotes.'
  const unclosed =
    'The quote that opens here is never closed. Close it, or double it if it belongs to the text.'
  const tooLong =
    'The record that begins here is longer than 50 bytes. Most often a quote in it is never closed.'
  const cases: { it: string; csv: string | Uint8Array; message: string }[] = [
    { it: 'too many cells', csv: 'a,b\n1,2\n1,2,3\n', message: ragged(3, 2, 'line 3, byte 8') + correct },
    { it: 'too few cells at the end', csv: 'a,b\n"x\ny",2\n1', message: ragged(1, 2, 'line 4, byte 12') + correct },
    { it: 'a blank line', csv: 'a,b\n\n1,2\n', message: `${ragged(1, 2, 'line 2, byte 4')}This line is blank: remove it.` },
    { it: 'a blank line of CRLF', csv: 'a,b\r\n\r\n\n1,2\r\n', message: `${ragged(1, 2, 'line 2, byte 5')}This line is blank: remove it.` },
    { it: 'a quote inside a cell', csv: 'a,b\n1,5" pipe\n', message: invalid('line 2, byte 7', stray) },
    { it: 'a space before a quote', csv: 'a, "b"\n', message: invalid('line 1, byte 3', stray) },
    { it: 'text after a closing quote', csv: 'a,b\n"1"x,2\n', message: invalid('line 2, byte 7', afterQuote) },
    { it: 'a space after a closing quote', csv: '"a" ,b\n', message: invalid('line 1, byte 3', afterQuote) },
    { it: 'an unclosed quote', csv: 'a,b\n1,"2\n3,4\n', message: invalid('line 2, byte 6', unclosed) },
    { it: 'a NUL byte', csv: 'a,b\n1,\0\n', message: invalid('line 2, byte 6', nul) },
    { it: 'a NUL byte in quotes', csv: 'a,b\n1,"\n\0"\n', message: invalid('line 3, byte 8', nul) },
    { it: 'a lone carriage return', csv: 'a,b\r1,2\r', message: invalid('line 1, byte 3', lone) },
    { it: 'a lone carriage return at the end', csv: 'a,b\r', message: invalid('line 1, byte 3', lone) },
    { it: 'a lone carriage return after a quote', csv: 'a,"b"\rc', message: invalid('line 1, byte 5', lone) },
    { it: 'Latin-1', csv: Buffer.from('a,b\nB\xfccher,2\n', 'latin1'), message: invalid('line 2, byte 5', notUtf8) },
    { it: 'a character cut off at the end', csv: Buffer.from([0x61, 0x0a, 0xe2, 0x82]), message: invalid('line 2, byte 2', notUtf8) },
    { it: 'a surrogate in UTF-8', csv: Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x0a]), message: invalid('line 1, byte 1', notUtf8) },
    { it: 'an overlong sequence', csv: Buffer.from([0x61, 0xc0, 0x80, 0x0a]), message: invalid('line 1, byte 1', notUtf8) },
    { it: 'the first of two mistakes', csv: 'a,b\n1\n\0\n', message: ragged(1, 2, 'line 2, byte 4') + correct },
    { it: 'a record beyond the limit', csv: `a\n${'x'.repeat(60)}\n`, message: invalid('line 2, byte 2', tooLong) },
    { it: 'a record that swallows the rest', csv: `a\n"${'x\n'.repeat(60)}`, message: invalid('line 2, byte 2', tooLong) },
    { it: 'after a byte order mark', csv: '\ufeffa,b\n1\n', message: ragged(1, 2, 'line 2, byte 7') + correct },
  ] // biome-ignore format: one case, one line
  it.each(cases)('$it', async ({ csv, message }) => {
    expect(await verdict(csv, { maxRecordBytes: 50 })).toBe(message)
  })

  it('names the slice among several', async () => {
    const error = await split('a,b\n1\n', { source: 'slice 2 of 3' }).catch(error => error)
    expect(error).toMatchObject({ code: 'invalidCsv', params: { source: 'slice 2 of 3', line: 2, byte: 4 } })
    expect(error.message).toContain('at slice 2 of 3, line 2, byte 4')
  })

  it('a ragged first record where the columns are known before', async () => {
    expect(await verdict('a,b,c\n', { columns: 2 })).toBe(ragged(3, 2, 'line 1, byte 0') + correct)
  })
})

describe('files without quoting', () => {
  const plain = parseCsvDialect({ enclosure: '' })
  const escaped = parseCsvDialect({ escapedBy: '\\' })

  it('have quotes in their text', async () => {
    expect(toCells(await split('"a,5" x\n', { dialect: plain }), plain)).toEqual([['"a', '5" x']])
  })

  it('take the character after an escape as it is', async () => {
    const chunks = await split('a\\,b,c\\\\\n"x\\\ny",\\z\n', { dialect: escaped })
    expect(toCells(chunks, escaped)).toEqual([
      ['a,b', 'c\\'],
      ['"x\ny"', 'z'],
    ])
  })

  it('may not end with an escape', async () => {
    expect(await verdict('a,b\\', { dialect: escaped })).toContain(
      'line 1, byte 3: The file ends with an escape character that escapes nothing.',
    )
  })

  it('count escaped line breaks as lines', async () => {
    expect(await verdict('a\\\nb,c\nd\n', { dialect: escaped })).toContain('at line 3, byte 7')
  })
})

describe('the memory of chunks', () => {
  it('is used again once they are released, and holds the others unchanged', async () => {
    const chunks = fc.record({
      chunkBytes: fc.integer({ min: 1, max: 60 }),
      released: fc.array(fc.nat(3), { minLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(csvCase(), chunks, async ({ csv, delimiter, enclosure }, { chunkBytes, released }) => {
        const options = { dialect: parseCsvDialect({ delimiter, enclosure }), chunkBytes, hasHeader: false }
        const expected = await verdict(csv, options)
        const held: { chunk: CsvChunk; text: string }[] = []
        const texts: string[] = []
        for await (const chunk of splitCsv(overwritten([Buffer.from(csv)]), options)) {
          texts.push(chunk.bytes.toString())
          held.push({ chunk, text: chunk.bytes.toString() })
          const [gone] = held.splice((released[texts.length % released.length] ?? 0) % 4, 1)
          gone?.chunk.release()
          gone?.chunk.release()
          for (const { chunk: other, text } of held) expect(other.bytes.toString()).toBe(text)
        }
        expect(texts).toEqual(expected)
      }),
    )
  })

  it('is no more than what is held at a time', async () => {
    const records = Buffer.from('0123456789,abcdefghi\n'.repeat(50_000))
    const blocks = new Set<ArrayBufferLike>()
    const settings = { dialect: RFC_4180, chunkBytes: 20_000, hasHeader: false }
    let chunks = 0
    for await (const chunk of splitCsv(overwritten([records]), settings)) {
      chunks++
      blocks.add(chunk.bytes.buffer)
      chunk.release()
    }
    expect(chunks).toBeGreaterThan(40)
    expect(blocks.size).toBe(1)
  })
})
