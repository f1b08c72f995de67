const NEAR_MS = 26 * 3_600_000

/** A text whose times of today and addresses here are all the same: two that ask one after the other ask for other moments, of other servers. */
export const withoutNow = (text: string): string =>
  text
    .replace(/127\.0\.0\.1:\d+/g, 'ORIGIN')
    .replace(/\d{4}-\d\d-\d\d(?:(?:[T+ ]|%20)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d(?:\.\d+)?)?)?/gi, found => {
      const ms = Date.parse(
        `${found.replace(/%3A/gi, ':').replace(/[+ ]|%20/, 'T')}${found.length > 10 ? 'Z' : ''}`,
      )
      return Math.abs(ms - Date.now()) < NEAR_MS ? found.replace(/\.\d+$/, '').replace(/\d/g, '9') : found
    })
    .replace(/\b1\d{9}(?:\d{3})?(?:\.\d+)?\b/g, found => {
      const ms = Number(found) * (found.split('.')[0]?.length === 13 ? 1 : 1000)
      return Math.abs(ms - Date.now()) < NEAR_MS ? '9'.repeat(found.length) : found
    })
