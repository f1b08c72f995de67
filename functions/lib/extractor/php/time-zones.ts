/** Abbreviations in hours east of UTC; the ones that APIs send. */
const abbreviations: Record<string, number> = {
  z: 0, utc: 0, gmt: 0, wet: 0, west: 1, bst: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3, ist: 2,
  est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7, akst: -9, akdt: -8, hst: -10,
  jst: 9, kst: 9, awst: 8, acst: 9.5, aest: 10, aedt: 11, nzst: 12, nzdt: 13,
} // biome-ignore format: a table

/**
 * Seconds east of UTC of `+02:00`, `+0200`, `+2`, `GMT+1`, `CEST` or, at the present day, `Europe/Prague`;
 * `undefined` for a name that is none.
 */
export const timeZoneOffset = (text: string): number | undefined => {
  const correction = /^(?:gmt|utc)?([+-])(\d{1,2}):?(\d{1,2})?$/.exec(text)
  if (correction !== null) {
    const [, sign, hours, minutes] = correction
    const seconds = Number(hours) * 3600 + Number(minutes ?? 0) * 60
    return sign === '-' ? -seconds : seconds
  }
  const name = text.replace(/[()]/g, '')
  const hours = Object.hasOwn(abbreviations, name) ? abbreviations[name] : undefined
  if (hours !== undefined) return hours * 3600
  return text.includes('/') ? regionOffset(text) : undefined
}

const regionOffset = (region: string): number | undefined => {
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: region,
      timeZoneName: 'longOffset',
    }).formatToParts()
    const name = parts.find(part => part.type === 'timeZoneName')?.value.toLowerCase() ?? ''
    return name === 'gmt' ? 0 : timeZoneOffset(name)
  } catch (error) {
    if (error instanceof RangeError) return undefined // no such region
    throw error
  }
}
