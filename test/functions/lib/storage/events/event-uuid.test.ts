import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eventIdOf, eventPosition, uuidOfEvent } from '#lib/storage/events/event-uuid.ts'

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

it('names every event once, in the order of the ids, and leads back to the id', () => {
  fc.assert(
    fc.property(id, id, (a, b) => {
      expect(eventIdOf(uuidOfEvent(a))).toBe(a)
      expect(eventIdOf(uuidOfEvent(a).toUpperCase())).toBe(a)
      expect(eventPosition(String(a))).toBe(a)
      expect(Math.sign(a - b)).toBe(
        uuidOfEvent(a) === uuidOfEvent(b) ? 0 : uuidOfEvent(a) < uuidOfEvent(b) ? -1 : 1,
      )
    }),
  )
})

it('is of version 7', () => {
  expect(uuidOfEvent(373652384724935)).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

it.each([
  '',
  'foo',
  '-1',
  '9'.repeat(17),
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  // Before the first id could be made.
  '00000000-0000-7000-8000-000000000000',
])('does not take "%s" for an event', text => {
  expect(eventIdOf(text)).toBeUndefined()
})

it('takes another UUID of the same time for a place in the order, and not for the event', () => {
  const uuid = uuidOfEvent(373652384724935)
  const other = `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}`
  expect([eventPosition(other), eventIdOf(other)]).toEqual([373652384724935, undefined])
})
