import type { CsvChunk } from '../csv/split-csv.ts'

/**
 * Joins small chunks that follow each other, such as those of many small slices, up to `chunkBytes`: each chunk becomes
 * a Parquet file.
 */
export async function* joinChunks(
  chunks: AsyncIterable<CsvChunk>,
  chunkBytes: number,
): AsyncGenerator<CsvChunk> {
  let joined: CsvChunk | undefined
  for await (const chunk of chunks) {
    if (joined && joined.bytes + chunk.bytes > chunkBytes) {
      yield joined
      joined = undefined
    }
    joined = joined ? join(joined, chunk) : chunk
    if (joined.bytes < chunkBytes) continue
    yield joined
    joined = undefined
  }
  if (joined) yield joined
}

const join = (a: CsvChunk, b: CsvChunk): CsvChunk => ({
  ...a,
  pieces: [...a.pieces, ...b.pieces],
  bytes: a.bytes + b.bytes,
  records: a.records + b.records,
  longestRecord: Math.max(a.longestRecord, b.longestRecord),
  hasReturns: a.hasReturns || b.hasReturns,
  hasBlankLines: a.hasBlankLines || b.hasBlankLines,
})
