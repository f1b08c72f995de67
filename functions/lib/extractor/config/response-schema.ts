import * as z from 'zod'
import { integer, key, name, optional, strictObject } from './fields.ts'
import { goneAt } from './gone-keys.ts'

const character = z.string().refine(value => [...value].length === 1, 'must be one character')

/** What only CSV has, with what holds without it. */
const ofCsv = { delimiter: ',', quote: '"', escape: undefined, columns: undefined, skipLines: 0 } as const

/** What the answers of a job are written in. Ours (docs/reference/extractor-responses.md). */
export const ResponseSettings = strictObject(
  {
    format: key(
      optional(
        z.enum(['auto', 'json', 'jsonl', 'csv'], {
          error: ({ input }) =>
            input === 'xml'
              ? '"xml" is gone: a script makes CSV or JSON of XML before it is read'
              : undefined,
        }),
      ),
      '`auto`: as `Content-Type` says, else the end of the file name. `jsonl` has a JSON value on each line.',
      'auto',
    ),
    encoding: key(
      optional(z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-2', 'windows-1250'])),
      'Without it: as `Content-Type` says, else `utf-8`.',
    ),
    delimiter: key(
      optional(character),
      'CSV: what separates cells. A line `sep=;` before the header says it, too.',
      ',',
    ),
    quote: key(optional(character), 'CSV: what surrounds a cell.', '"'),
    escape: key(
      optional(character),
      'CSV: what stands before a quote inside of a cell. Without it: as `quote`.',
    ),
    columns: key(
      optional(z.array(name).min(1)),
      'CSV: names of the columns of a file without a header. Without it: the first row.',
    ),
    skipLines: key(
      optional(integer.refine(lines => lines >= 0, 'must not be negative')),
      'CSV: lines before the header that are left out.',
      0,
    ),
  },
  { gone: goneAt.response },
).superRefine((settings, context) => {
  const { format = 'auto' } = settings
  if (format === 'auto') return
  for (const [option, fallback] of Object.entries(ofCsv)) {
    const given = settings[option as keyof typeof ofCsv] // its own names
    if (format !== 'csv' && given !== undefined && given !== fallback)
      context.addIssue({ code: 'custom', path: [option], message: `"${option}" belongs to "format": "csv"` })
  }
})

export type ResponseSettings = z.output<typeof ResponseSettings>

/** What reading an answer may hold in memory. Everything else of it waits on the disk. */

/** A body that is larger goes to a file while it comes. */
export const BODY_IN_MEMORY_BYTES = 4 * 1024 * 1024

/** Of one item: a line, a CSV record. */
export const ITEM_BYTES = 16 * 1024 * 1024

/** Items that go to the tables at once, whichever is reached first. */
export const PART_ITEMS = 1_000
export const PART_BYTES = 1024 * 1024

/** Of a list in memory: rows of it for some seconds. A longer one is read in parts, so that a stop may come in between. */
export const LIST_ITEMS = 100_000
