import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const CITIES = ['Praha', 'Brno', 'Zürich', 'Köln', 'São Paulo', 'New York', 'Łódź', 'Reykjavík']
const STATUSES = ['new', 'paid', 'shipped', 'returned']
const NOTES = [
  '',
  'leave at the door',
  '"ring twice, then ""knock"""',
  '"first line\nsecond line"',
  '"a, b and c"',
  'größer als erwartet',
  '"on the phone he said:\n""never on Sundays"",\nand hung up"',
  'none',
]

export const SAMPLE_COLUMNS = [
  'id',
  'ordered_at',
  'customer',
  'email',
  'city',
  'status',
  'amount',
  'currency',
  'note',
  'tracking_url',
]

/** A small generator of pseudo-random 32-bit numbers (xorshift), so that a benchmark's input is the same every time. */
const createRandom = (seed: number): (() => number) => {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

/**
 * Writes orders as CSV: a header and `rows` records of 10 columns, about 150 bytes each, a third of them with quotes
 * and some with line breaks in cells. The same arguments give the same bytes.
 */
export const writeSampleCsv = async (path: string, rows: number): Promise<void> => {
  const random = createRandom(20_240_607)
  const pick = (values: string[]): string => values[random() % values.length] ?? ''
  const out = createWriteStream(path, { highWaterMark: 4 << 20 })
  out.write(`${SAMPLE_COLUMNS.join(',')}\n`)
  let batch: string[] = []
  for (let id = 1; id <= rows; id++) {
    const customer = random() % 200_000
    const orderedAt = new Date(1_700_000_000_000 + id * 31_000).toISOString()
    const amount = `${random() % 10_000}.${10 + (random() % 90)}`
    batch.push(
      `${id},${orderedAt},"Customer ${customer}",c${customer}@example.com,${pick(CITIES)},${pick(STATUSES)},` +
        `${amount},EUR,${pick(NOTES)},https://example.com/t/${random().toString(16)}${id}\n`,
    )
    if (batch.length < 10_000 && id < rows) continue
    const hasRoom = out.write(batch.join(''))
    batch = []
    if (!hasRoom) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}
