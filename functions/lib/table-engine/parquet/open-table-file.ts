import { open, rm } from 'node:fs/promises'
import pMap from 'p-map'
import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import { type ByteRange, footerBytes, type ParquetFooter, parseFooter } from '../files/footer.ts'
import type { TableFile } from '../files/snapshot.ts'
import type { TableFiles } from '../files/table-files.ts'

/** Files up to this size come with one request: a second one would take longer than their bytes. */
const WHOLE_FILE_BYTES = 128 * 1024

/** Ranges with less between them come with one request. */
const NEAR_BYTES = 16 * 1024

/** Most footers are shorter. */
const FIRST_TAIL_BYTES = 4 * 1024
const TAIL_BYTES_PER_COLUMN = 256

const RANGES_AT_ONCE = 2

/**
 * A file of the table of which only the wanted parts are here: in a local file of the same length, whose other parts are
 * holes that take no room on the disk and must not be read.
 */
export interface OpenFile {
  path: string
  footer: ParquetFooter
  /** Brings these columns here, given by their places in the footer. */
  fetch(columns: number[]): Promise<void>
  close(): Promise<void>
}

/** Reads the footer of a file of the table. `name`: unique among the open files of the session. */
export const openTableFile = async (
  { session, files }: { session: DuckDbSession; files: TableFiles },
  file: Pick<TableFile, 'key' | 'bytes' | 'statistics'>,
  name: string,
): Promise<OpenFile> => {
  const path = session.scratchPath(`${name}.parquet`)
  const columns = Object.keys(file.statistics ?? {}).length
  const guess = FIRST_TAIL_BYTES + columns * TAIL_BYTES_PER_COLUMN
  const tailBytes = file.bytes <= WHOLE_FILE_BYTES ? file.bytes : Math.min(file.bytes, guess)
  const bring = async ({ start, end }: ByteRange): Promise<void> => {
    const local = await open(path, 'r+')
    try {
      let position = start
      for await (const bytes of files.readRange(file.key, { start, end })) {
        await local.write(bytes, 0, bytes.length, position)
        position += bytes.length
      }
      if (position !== end) throw new Error(`${file.key} ended at byte ${position}, not ${end}.`)
    } finally {
      await local.close()
    }
  }
  await makeHole(path, file.bytes)
  let here = file.bytes - tailBytes
  await bring({ start: here, end: file.bytes })
  const footerStart =
    file.bytes - footerBytes(await readLocal(path, { start: file.bytes - 8, end: file.bytes }))
  if (footerStart < here) {
    await bring({ start: footerStart, end: here })
    here = footerStart
  }
  const footer = parseFooter(await readLocal(path, { start: footerStart, end: file.bytes }))
  const fetched = new Set<ByteRange>()
  return {
    path,
    footer,
    fetch: async wanted => {
      const ranges = footer.rowGroups
        .flatMap(({ chunks }) => wanted.flatMap(column => chunks[column]?.ranges ?? []))
        .filter(range => range.start < here && !fetched.has(range))
      for (const range of ranges) fetched.add(range)
      await pMap(joinNear(ranges), bring, { concurrency: RANGES_AT_ONCE })
    },
    close: () => rm(path, { force: true }),
  }
}

const makeHole = async (path: string, bytes: number): Promise<void> => {
  const local = await open(path, 'w')
  try {
    await local.truncate(bytes)
  } finally {
    await local.close()
  }
}

const readLocal = async (path: string, { start, end }: ByteRange): Promise<Buffer> => {
  const local = await open(path)
  try {
    return (await local.read(Buffer.alloc(end - start), 0, end - start, start)).buffer
  } finally {
    await local.close()
  }
}

/** Fewer and longer ranges, in order. */
const joinNear = (ranges: ByteRange[]): ByteRange[] => {
  const joined: ByteRange[] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && range.start - last.end <= NEAR_BYTES) last.end = Math.max(last.end, range.end)
    else joined.push({ ...range })
  }
  return joined
}
