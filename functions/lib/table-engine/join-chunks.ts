import type { CsvChunk } from './csv/split-csv.ts'

/**
 * Joins small chunks that follow each other, such as those of many small slices, up to `chunkBytes`. Each chunk becomes
 * a Parquet file.
 */
export async function* joinChunks(
  chunks: AsyncIterable<CsvChunk>,
  chunkBytes: number,
): AsyncGenerator<CsvChunk> {
  let small: CsvChunk[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    const isOther = String(small[0]?.names) !== String(chunk.names)
    if (small.length > 0 && (isOther || bytes + chunk.bytes.length > chunkBytes)) {
      yield join(small)
      small = []
      bytes = 0
    }
    small.push(chunk)
    bytes += chunk.bytes.length
    if (bytes < chunkBytes) continue
    yield join(small)
    small = []
    bytes = 0
  }
  if (small.length > 0) yield join(small)
}

const join = (chunks: CsvChunk[]): CsvChunk => {
  const [first] = chunks
  if (first && chunks.length === 1) return first
  const bytes = Buffer.concat(chunks.map(({ bytes }) => bytes))
  for (const { release } of chunks) release()
  return {
    bytes,
    release: () => undefined,
    columns: first?.columns ?? 0,
    names: first?.names,
    isHeader: false,
    start: first?.start ?? { offset: 0, line: 1 },
    records: chunks.reduce((sum, { records }) => sum + records, 0),
    hasReturns: chunks.some(({ hasReturns }) => hasReturns),
    hasBlankLines: chunks.some(({ hasBlankLines }) => hasBlankLines),
    origins: chunks.flatMap(({ origins = [] }) => origins),
  }
}
