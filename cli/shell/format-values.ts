/** `2026-03-01 12:00:05` in UTC, from a time of the API or ISO 8601. */
export const formatTime = (time: string | null | undefined): string => {
  if (time === null || time === undefined) return ''
  const date = new Date(time.replace(/\+0000$/, 'Z'))
  return Number.isNaN(date.getTime()) ? time : date.toISOString().slice(0, 19).replace('T', ' ')
}

/** Seconds between two times of the API, or nothing while the second is not known. */
export const secondsBetween = (from?: string | null, to?: string | null): number | null => {
  if (!from || !to) return null
  return (Date.parse(to.replace('+0000', 'Z')) - Date.parse(from.replace('+0000', 'Z'))) / 1000
}
