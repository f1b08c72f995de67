import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIdSource, idParts, idSortKey, parseId } from '#lib/storage/db/ids.ts'

describe('createIdSource', () => {
  it('grows within one millisecond', () => {
    const nextId = createIdSource(() => new Date('2026-07-16T00:00:00Z'))
    const ids = Array.from({ length: 10_000 }, nextId)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  })

  it('does not go back when the clock does', () => {
    const times = ['2026-07-16T00:00:01Z', '2026-07-16T00:00:00Z']
    const nextId = createIdSource(() => new Date(times.shift() ?? 0))
    expect(nextId()).toBeLessThan(nextId())
  })

  it('gives safe integers of the millisecond they are made in, until 2093', () => {
    const times = fc.date({
      min: new Date('2024-01-01T00:00:00Z'),
      max: new Date('2093-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(times, time => {
        const id = createIdSource(() => time)()
        expect(Number.isSafeInteger(id)).toBe(true)
        expect(idParts(id).milliseconds).toBe(time.getTime())
      }),
    )
  })
})

it('sorts ids as texts like as numbers', () => {
  const ids = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
  fc.assert(fc.property(ids, ids, (a, b) => idSortKey(a) < idSortKey(b) === a < b))
})

describe('parseId', () => {
  it.each([
    ['123', 123],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['', undefined],
    ['99999999999999999999', undefined],
  ])('reads %j as %j', (text, id) => {
    expect(parseId(text)).toBe(id)
  })
})
