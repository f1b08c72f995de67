import { describe, expect, it } from 'vitest'
import { mapAhead } from '#lib/table-engine/map-ahead.ts'

const count = async function* (to: number): AsyncGenerator<number> {
  for (let item = 0; item < to; item++) yield item
}

/** Lets everything that is ready continue. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

describe('mapAhead', () => {
  it('gives results in the order of the items, whichever is ready first', async () => {
    const gates = [0, 1, 2].map(() => Promise.withResolvers<void>())
    const results = mapAhead(count(3), 3, async item => {
      await gates[item]?.promise
      return item * 10
    })
    for (const gate of gates.toReversed()) {
      gate.resolve()
      await settle()
    }
    expect(await results).toEqual([0, 10, 20])
  })

  it('never has more calls under way than allowed', async () => {
    let underWay = 0
    let most = 0
    await mapAhead(count(20), 3, async () => {
      most = Math.max(most, ++underWay)
      await settle()
      underWay--
    })
    expect(most).toBe(3)
  })

  it('asks for no further item after a failure, and rejects when nothing is under way', async () => {
    let asked = 0
    let finished = 0
    const items = async function* (): AsyncGenerator<number> {
      for (;;) yield asked++
    }
    const results = mapAhead(items(), 2, async item => {
      if (item === 3) throw new Error('third')
      await settle()
      finished++
    })
    await expect(results).rejects.toThrow('third')
    expect(asked).toBeLessThanOrEqual(6)
    expect(finished).toBe(asked - 1)
  })

  it('rejects with the failure of the first item, whichever comes first', async () => {
    const items = async function* (): AsyncGenerator<number> {
      yield 0
      yield 1
      throw new Error('no more')
    }
    const gates = [0, 1].map(() => Promise.withResolvers<void>())
    const results = mapAhead(items(), 3, async item => {
      await gates[item]?.promise
      throw new Error(`item ${item}`)
    })
    const rejected = expect(results).rejects.toThrow('item 0')
    gates[1]?.resolve()
    await settle()
    gates[0]?.resolve()
    await rejected
  })

  it('passes on the failure of the items', async () => {
    const items = async function* (): AsyncGenerator<number> {
      yield 1
      throw new Error('no more')
    }
    await expect(mapAhead(items(), 2, async item => item)).rejects.toThrow('no more')
  })
})
