import type { SortedRun } from './sort-run.ts'

/** Sort keys from `from` on and below `to`, in hexadecimal. Without a bound: from the first, to the last. */
export interface OrderRange {
  from?: string | undefined
  to?: string | undefined
}

type KnownRun = Pick<SortedRun, 'bytes' | 'firstKeys'>

/**
 * Cuts the order of all rows into ranges of about so many bytes. What is known of the runs is the first key of each of their
 * row groups, so a range may have a row group of each run more. Rows whose keys begin with the same thousand bytes are in one range.
 */
export const cutOrder = (runs: readonly KnownRun[], rangeBytes: number): OrderRange[] => {
  const groups = runs
    .flatMap(({ bytes, firstKeys }) => firstKeys.map(key => ({ key, bytes: bytes / firstKeys.length })))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const cuts: string[] = []
  let bytes = 0
  for (const group of groups) {
    if (bytes >= rangeBytes && group.key !== cuts.at(-1)) {
      cuts.push(group.key)
      bytes = 0
    }
    bytes += group.bytes
  }
  return groups.length === 0 ? [] : [undefined, ...cuts].map((from, index) => ({ from, to: cuts[index] }))
}

/** The row groups of a run that may hold rows of a range. */
export const groupsInRange = (
  { firstKeys }: Pick<KnownRun, 'firstKeys'>,
  { from, to }: OrderRange,
): number[] =>
  firstKeys.flatMap((first, index) => {
    const next = firstKeys[index + 1]
    // A key that was cut short may be that of a later row: one that equals a bound leaves nothing out.
    const isBefore = from !== undefined && next !== undefined && next < from
    const isAfter = to !== undefined && first >= to
    return isBefore || isAfter ? [] : [index]
  })
