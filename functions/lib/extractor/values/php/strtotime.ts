import { resolveTime } from './relative-time.ts'
import { createReadTime, timeFormats } from './time-formats.ts'

/** No date is as long, and each format is tried at each place. */
const MAX_LENGTH = 1_000

/**
 * PHP's `strtotime`: seconds since 1970 (UTC) of a date, a time or a relative text such as `last day of next month`,
 * seen from `base`; `false` for a text that it cannot read.
 *
 * At each place the longest format counts, the earlier one of two as long (PHP manual, "Supported Date and Time
 * Formats"); spaces, commas and points between formats are skipped.
 */
export const strtotime = (text: string, base: number): number | false => {
  const input = text.trim().toLowerCase()
  if (input === '' || input.length > MAX_LENGTH) return false
  const time = createReadTime()
  for (let at = 0; at < input.length; ) {
    let length = 0
    let apply: (() => boolean) | undefined
    for (const format of timeFormats) {
      format.pattern.lastIndex = at
      const match = format.pattern.exec(input)
      if (match === null || match[0].length <= length) continue
      length = match[0].length
      apply = () => format.apply(time, match) !== false
    }
    if (apply === undefined) {
      if (!/[\s.,]/.test(input[at] ?? '')) return false
      at++
      continue
    }
    if (!apply()) return false
    at += length
  }
  const seconds = Math.floor(resolveTime(time, base))
  return Number.isFinite(seconds) ? seconds : false
}
