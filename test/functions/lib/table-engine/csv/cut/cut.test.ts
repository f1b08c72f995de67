import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import { type CsvDialect, RFC_4180 } from '#lib/table-engine/csv/csv-dialect.ts'
import { type ReadPart, readPreamble, readRange } from '#lib/table-engine/csv/cut/read-range.ts'
import { firstCut, nextCut, scanRange } from '#lib/table-engine/csv/cut/scan-range.ts'
import { parseRecords } from '#lib/table-engine/csv/parse-records.ts'
import { splitCsv } from '#lib/table-engine/csv/split-csv.ts'
import { runs } from '#support/thorough.ts'
import { cutAnywhere } from '../support/csv-arbitrary.ts'

interface Options {
  dialect?: CsvDialect
  hasHeader?: boolean
  ignoredLines?: number
  columns?: number | undefined
  maxRecordBytes?: number
}

async function* of(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Its records, header first, or the message of its error. */
const readWhole = async (file: Uint8Array, options: Options): Promise<string[][] | string> => {
  const records: string[][] = []
  const { dialect = RFC_4180 } = options
  try {
    for await (const { bytes } of splitCsv(of(file), {
      hasHeader: true,
      ...options,
      dialect,
      chunkBytes: 30,
    }))
      records.push(...parseRecords(bytes, dialect))
    return records
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

/** The same, cut at these places, with each range read in pieces of `pieceBytes`. */
const readCut = async (
  file: Uint8Array,
  { cuts, pieceBytes, ...options }: Options & { cuts: number[]; pieceBytes: number },
): Promise<string[][] | string> => {
  const { dialect = RFC_4180, hasHeader = true, maxRecordBytes } = options
  const limit = maxRecordBytes === undefined ? {} : { maxRecordBytes }
  try {
    const { header, start } = await readPreamble(of(file, pieceBytes), { ...options, dialect, hasHeader })
    const records = header ? [...parseRecords(header.bytes, dialect)] : []
    if (!start) return records
    const columns =
      options.columns ?? header?.columns ?? [...parseRecords(Buffer.from(file), dialect)][0]?.length ?? 0
    const format = { dialect, columns, ...limit }
    const places = [start.offset, ...cuts.filter(cut => cut > start.offset && cut < file.length), file.length]
    const ends = [...new Set(places)].toSorted((a, b) => a - b)
    const read: ReadPart = part => of(file.subarray(part.start, part.end), pieceBytes)
    let cut = firstCut(start)
    let reached = start.offset
    for (const [index, end] of ends.slice(1).entries()) {
      const range = { start: ends[index] ?? 0, end, fileEnd: file.length }
      for await (const { bytes, start: at } of readRange(
        read,
        { ...range, ...cut },
        { ...format, chunkBytes: 30 },
      )) {
        expect(at.offset).toBe(reached)
        reached += bytes.length
        records.push(...parseRecords(bytes, dialect))
      }
      cut = nextCut(cut, await scanRange(read(range), dialect))
    }
    return records
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

const everyCut = (file: Uint8Array): number[] => Array.from({ length: file.length }, (_, index) => index)

describe('a file that is cut', () => {
  const files: { it: string; csv: string; options?: Options }[] = [
    { it: 'quotes and line breaks in cells', csv: 'a,b\n"1\n2",""""\r\n"",\n",""\n","\r\n"\n' },
    { it: 'no final line break', csv: 'a,b\n1,2\n3,4' },
    { it: 'nothing but a header', csv: 'a,b\n' },
    { it: 'nothing', csv: '' },
    { it: 'a byte order mark, and later characters like one', csv: '\ufeffa\n\ufeffb\n\ufeff\n' },
    { it: 'characters of several bytes', csv: 'é,😀\n"😀\n",é\né,"é"\n' },
    { it: 'blank last lines', csv: 'a,b\n1,2\n\n\r\n\n\n\n' },
    { it: 'a blank line before a record', csv: 'a,b\n1,2\n\n\n3,4\n' },
    { it: 'blank lines of one column', csv: 'a\n\n\r\n\nb\n' },
    { it: 'ignored lines that hold quotes', csv: 'a,b\nunits "x\n1,"2\n"\n', options: { ignoredLines: 1 } },
    {
      it: 'escape characters, before line breaks and before themselves',
      csv: 'a,b\n1\\\n,\\\\\n\\\\\\\n,\\,\r\n',
      options: { dialect: { delimiter: 0x2c, enclosure: undefined, escapedBy: 0x5c } },
    },
    {
      it: 'no quoting at all',
      csv: 'a,b\n",\n1,"\n',
      options: { dialect: { delimiter: 0x2c, enclosure: undefined, escapedBy: undefined } },
    },
    {
      it: 'no header',
      csv: '"1\n",2\n3,4\n',
      options: { hasHeader: false, columns: 2 },
    },
    { it: 'a quote that is never closed', csv: 'a,b\n1,2\n3,"4\n5,6\n' },
    { it: 'a record with too many cells', csv: 'a,b\n1,2\n"\n",2,3\n4\n' },
    { it: 'text after a quote', csv: 'a,b\n"1"x,2\n3"\n' },
    { it: 'a carriage return alone', csv: 'a,b\n1,\r2\n3,4\r' },
    { it: 'a NUL byte', csv: 'a,b\n1,2\n3,"\n\0"\n' },
    { it: 'a record that is too long', csv: `a,b\n1,"${'x\n'.repeat(30)}"\n1,2\n`, options: { maxRecordBytes: 40 } },
  ] // biome-ignore format: one case, one line
  it.each(files)('reads as if it were whole: $it', async ({ csv, options = {} }) => {
    const file = Buffer.from(csv)
    const whole = await readWhole(file, options)
    for (const pieceBytes of [1, 2, 7, 1_000]) {
      expect(await readCut(file, { ...options, cuts: everyCut(file), pieceBytes })).toEqual(whole)
      for (const cut of everyCut(file))
        expect(await readCut(file, { ...options, cuts: [cut], pieceBytes })).toEqual(whole)
    }
  })

  it('reads as if it were whole, whatever its bytes and cuts are', async () => {
    const byte = fc.constantFrom(...Buffer.from('"",,\n\n\r\\xé'), 0, 0xff, 0xf0)
    const record = fc.constantFrom('1,2\n', '"1\n",""\r\n', '"""",\n', ',"\r\n,"\n', 'é,"é"\n', '\\\n,x\n')
    const records = fc.array(record, { maxLength: 8 }).map(lines => Buffer.from(lines.join('')))
    const anything = fc.uint8Array({ maxLength: 12 }).map(bytes => Buffer.from(bytes))
    const tempting = fc.array(byte, { maxLength: 6 }).map(bytes => Buffer.from(bytes))
    const body = fc
      .array(fc.oneof({ weight: 4, arbitrary: records }, tempting, anything), { maxLength: 4 })
      .map(parts => Buffer.concat([Buffer.from('a,b\n'), ...parts]))
    const dialect = fc.constantFrom<CsvDialect>(
      RFC_4180,
      { delimiter: 0x2c, enclosure: undefined, escapedBy: 0x5c },
      { delimiter: 0x2c, enclosure: undefined, escapedBy: undefined },
    )
    const cases = fc.record({
      file: body.chain(file => fc.tuple(fc.constant(file), cutAnywhere(file))),
      dialect,
      pieceBytes: fc.integer({ min: 1, max: 20 }),
      maxRecordBytes: fc.constantFrom(20, 1_000),
      ignoredLines: fc.constantFrom(0, 0, 0, 1, 2),
    })
    let refused = 0
    let read = 0
    const tries = runs(2_000)
    await fc.assert(
      fc.asyncProperty(cases, async ({ file: [file, parts], pieceBytes, ...options }) => {
        const cuts = parts.map((_, index) => Buffer.concat(parts.slice(0, index)).length)
        const whole = await readWhole(file, options)
        if (typeof whole === 'string') refused++
        else read++
        expect(await readCut(file, { ...options, cuts, pieceBytes })).toEqual(whole)
      }),
      { numRuns: tries },
    )
    expect(Math.min(refused, read)).toBeGreaterThan(tries / 6)
  })
})
