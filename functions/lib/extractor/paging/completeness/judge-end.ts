import type { RunWatch } from './run-watch.ts'

/** How one run of a job ended. */
export interface RunEnding {
  /** In the words of its paginator or stop rule. */
  reason: string
  /** Why there is no next page although nothing says that this was the last. */
  stuck?: string | undefined
  /** The last page equals the one before, and has rows. */
  isRepeated?: boolean
  /** The keys of a response that has nothing where its rows should be. */
  missing?: { path: string; keys: readonly string[] } | undefined
  /** Rows of a full page, of paginators that know it. */
  pageSize?: number | undefined
  /** The total is judged elsewhere (`completeness`). */
  knowsTotal: boolean
}

/**
 * What the answers say against the end of a run: each with the key that would mend it. Nothing when they do not say that there is more.
 */
export const judgeEnd = (
  { reason, stuck, isRepeated = false, missing, pageSize, knowsTotal }: RunEnding,
  { rows, count, total, more, wrong }: Pick<RunWatch, 'rows' | 'count' | 'total' | 'more' | 'wrong'>,
): string[] => {
  const found: string[] = []
  if (isRepeated && (total === undefined || rows < total))
    found.push(
      'the API sent the page before again: does it know the parameter of the page, or want it elsewhere?',
    )
  if (stuck !== undefined) found.push(`${stuck}, with ${many(count, 'row')} on the page`)
  if (missing !== undefined)
    found.push(
      `there is nothing at ${missing.path}, where the answer has ${missing.keys.map(key => `"${key}"`).join(', ')}: look at "dataField", or at what the answer says`,
    )
  else if (wrong !== undefined) found.push(`${wrong.says} (${wrong.key})`)
  if (!knowsTotal && total !== undefined && total > rows)
    found.push(
      `the answer says a total of ${total.toLocaleString('en-US')}, and ${many(rows, 'row was', 'rows were')} read${
        pageSize !== undefined && count > 0 && count < pageSize
          ? `: the API may give fewer rows a page than the "limit" of ${pageSize}`
          : ': look at "pagination"'
      }`,
    )
  if (pageSize !== undefined && count >= pageSize && /fewer items/.test(reason))
    found.push(
      `the last page was full, with ${many(count, 'row')}: a filter left fewer of them, and "pagination" counts those`,
    )
  if (more !== undefined && !isRepeated) found.push(`${more.says} (${more.key})`)
  return found
}

const many = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`
