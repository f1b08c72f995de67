import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { reads } from '#lib/wire/reads.ts'

const contract = z.object({
  id: z.string(),
  version: z.int(),
  isDisabled: z.boolean(),
  tags: z.array(z.string()),
  state: z.record(z.string(), z.unknown()),
  url: z.optional(z.string()),
  endTime: z.nullable(z.string()),
})

const wanted = { id: true, version: true, isDisabled: true, tags: true, state: true, url: false } as const

describe('what a reader takes of a reply', () => {
  it('is what it asked for; other fields pass, whatever they hold', () => {
    const reply = {
      id: 'a',
      version: 1,
      isDisabled: true,
      tags: ['x'],
      state: { a: 1 },
      endTime: 7,
      more: {},
    }
    const { endTime: _, more: __, ...asked } = reply
    expect(reads(contract, wanted).parse(reply)).toEqual(asked)
  })

  it('may miss lists, objects of any keys and flags: they are empty or false', () => {
    const empty = { id: 'a', version: 1, isDisabled: false, tags: [], state: {} }
    expect(reads(contract, wanted).parse({ id: 'a', version: 1 })).toEqual(empty)
    const nulls = { id: 'a', version: 1, isDisabled: null, tags: null, state: null }
    expect(reads(contract, wanted).parse(nulls)).toEqual(empty)
  })

  it('has ids as they are declared, and objects where PHP has a list', () => {
    const read = reads(contract, wanted).parse({ id: 7, version: '12', state: [] })
    expect(read).toMatchObject({ id: '7', version: 12, state: {} })
  })

  it.each([
    ['lacks what is needed', { version: 1 }],
    ['has another form', { id: 'a', version: 1, isDisabled: 'yes' }],
    ['has another form where it may be missing', { id: 'a', version: 1, url: {} }],
  ])('is refused when it %s', (_, reply) => {
    expect(reads(contract, wanted).safeParse(reply).success).toBe(false)
  })

  it('may be read in a way of its own', () => {
    const own = reads(contract, { id: true, url: z.optional(z.literal('here')) })
    expect(own.safeParse({ id: 'a', url: 'there' }).success).toBe(false)
    expect(own.parse({ id: 'a' })).toEqual({ id: 'a' })
  })
})
