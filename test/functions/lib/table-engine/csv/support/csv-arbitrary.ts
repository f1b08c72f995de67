import fc from 'fast-check'

/** Text that tempts a CSV reader: quotes, separators, all kinds of line breaks, words that mean "nothing" elsewhere. */
const temptingText = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('"', ',', '\n', '\r', '\r\n', '""', ';', '\t', '|', "'", '\\'),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('NULL', '\\N', 'null', '#', ' ', '\u0001', '\ufeff', 'é', '😀'),
      },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
    ),
    { maxLength: 5 },
  )
  .map(parts => parts.join('').replaceAll('\0', ''))

export interface CsvCase {
  delimiter: string
  enclosure: string
  rows: string[][]
  /** `rows` as CSV, with any allowed quotes and line ends. */
  csv: string
}

/** A table of any text and one of its many spellings as CSV. */
export const csvCase = ({
  maxRows = 8,
  maxColumns = 4,
}: {
  maxRows?: number
  maxColumns?: number
} = {}): fc.Arbitrary<CsvCase> =>
  fc
    .record({
      columns: fc.integer({ min: 1, max: maxColumns }),
      delimiter: fc.constantFrom(',', ',', ',', ';', '\t', '|', ' ', 'x'),
      enclosure: fc.constantFrom('"', '"', '"', "'", '~'),
    })
    .chain(({ columns, delimiter, enclosure }) =>
      fc
        .record({
          rows: fc.array(fc.array(temptingText, { minLength: columns, maxLength: columns }), {
            minLength: 1,
            maxLength: maxRows,
          }),
          quoted: fc.array(fc.boolean(), { minLength: 1 }),
          lineEnds: fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1, maxLength: 5 }),
          endsWithLineEnd: fc.boolean(),
        })
        .map(({ rows, quoted, lineEnds, endsWithLineEnd }) => {
          const write = (cell: string, index: number): string => {
            const mustQuote = [delimiter, enclosure, '\n', '\r'].some(special => cell.includes(special))
            if (!mustQuote && !quoted[index % quoted.length]) return cell
            return enclosure + cell.replaceAll(enclosure, enclosure + enclosure) + enclosure
          }
          const lines = rows.map((row, number) =>
            row.map((cell, index) => write(cell, number * row.length + index)).join(delimiter),
          )
          const text = lines.map((line, number) => line + lineEnds[number % lineEnds.length]).join('')
          const last = lines.at(-1) ?? ''
          // Without its line end an empty last line would not be a record.
          const mayEndOpen = last !== '' && !endsWithLineEnd
          return { delimiter, enclosure, rows, csv: mayEndOpen ? text.replace(/\r?\n$/, '') : text }
        }),
    )
    // At the start of a file this character is a byte order mark, and no part of the first cell.
    .filter(({ csv }) => !csv.startsWith('\ufeff'))

/** Cuts bytes into pieces at arbitrary places, within characters too. */
export const cutAnywhere = (bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> =>
  fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }).map(places => {
    const cuts = [0, ...places.sort((a, b) => a - b), bytes.length]
    return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end))
  })
