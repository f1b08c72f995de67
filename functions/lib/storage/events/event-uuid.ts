import { digestBytes } from '../../digests.ts'
import { fromIdParts, idParts, parseId } from '../db/ids.ts'

const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * The UUID of an event, of version 7 (RFC 9562): the time and the counter of its id, then digits of a digest. It is
 * made of the id alone, so that one read finds an event by either, and both have one order.
 */
export const uuidOfEvent = (id: number): string => {
  const { milliseconds, counter } = idParts(id)
  const time = hex(milliseconds, 12)
  const digest = digestBytes(`event ${id}`)
  // RFC 9562, section 5.7: the variant is the two bits `10`.
  const variant = hex(0x80 | ((digest[0] ?? 0) & 0x3f), 2)
  const tail = digest.subarray(1, 8).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(counter, 3)}-${variant}${tail.slice(0, 2)}-${tail.slice(2)}`
}

/** The place in the order of events that an id or a UUID names. `undefined`: it can be neither of ours. */
export const eventPosition = (text: string): number | undefined => {
  const [, high, low, counter] = UUID.exec(text.toLowerCase()) ?? []
  if (high === undefined || low === undefined || counter === undefined) return parseId(text)
  const id = fromIdParts({
    milliseconds: Number.parseInt(`${high}${low}`, 16),
    counter: Number.parseInt(counter, 16),
  })
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** The id of the event that an id or a UUID names. */
export const eventIdOf = (text: string): number | undefined => {
  const id = eventPosition(text)
  return id === undefined || !text.includes('-') || uuidOfEvent(id) === text.toLowerCase() ? id : undefined
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
