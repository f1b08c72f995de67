import { truncateLower, truncateUpper } from '../../iceberg/values/truncate-bound.ts'
import { type FieldStatistics, TIMESTAMP_ID } from '../snapshot.ts'
import { compareText } from './compare-text.ts'
import type { ColumnChunk, ParquetFooter } from './footer.ts'

/** What the footer of a file says about its columns, for the table's list of files. By field id. */
export const fileStatistics = (
  { columns, rowGroups }: ParquetFooter,
  ids: readonly number[],
): Record<number, FieldStatistics> => {
  const wanted = new Set(ids)
  return Object.fromEntries(
    columns.flatMap(({ id }, index) =>
      id === undefined || !wanted.has(id)
        ? []
        : [
            [
              id,
              summarize(
                id,
                rowGroups.flatMap(({ chunks }) => chunks[index] ?? []),
              ),
            ],
          ],
    ),
  )
}

const summarize = (id: number, chunks: ColumnChunk[]): FieldStatistics => {
  const lower = least(chunks.map(chunk => chunk.lower))
  const upper = greatest(chunks.map(chunk => chunk.upper))
  const isTime = id === TIMESTAMP_ID
  const shortUpper = upper === undefined || isTime ? upper : truncateUpper(upper)
  return {
    bytes: sum(chunks.map(({ bytes }) => bytes)),
    values: sum(chunks.map(({ values }) => values)),
    nulls: sum(chunks.map(({ nulls = 0 }) => nulls)),
    ...(lower !== undefined && { lower: isTime ? lower : truncateLower(lower) }),
    ...(shortUpper !== undefined && { upper: shortUpper }),
  }
}

const least = (bounds: (string | undefined)[]): string | undefined =>
  bounds.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : compareText(one, other) <= 0 ? one : other,
  )

const greatest = (bounds: (string | undefined)[]): string | undefined =>
  bounds.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : compareText(one, other) >= 0 ? one : other,
  )

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
