import { describe, expect, it } from 'vitest'
import { createTurns } from '#lib/turns.ts'

/** Who can begin then has begun. */
const turn = () => new Promise(resolve => setImmediate(resolve))

/** Work that ends when it is told to. */
const start = (takeTurn: ReturnType<typeof createTurns>, begun: string[], who: string, name: string) => {
  const end = Promise.withResolvers<void>()
  const done = takeTurn(who, async () => {
    begun.push(name)
    await end.promise
    return name
  })
  return {
    done,
    end: async () => {
      end.resolve()
      await done
      await turn()
    },
  }
}

it('one of each is at work, and whoever was at work comes after the others', async () => {
  const takeTurn = createTurns({ most: 2 })
  const begun: string[] = []
  const of = (who: string, name: string) => start(takeTurn, begun, who, name)
  const [a1, a2, a3, b1, b2, c1] = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(name => of(name.charAt(0), name))
  await turn()
  expect(begun).toEqual(['a1', 'b1'])
  await a1?.end()
  expect(begun).toEqual(['a1', 'b1', 'c1'])
  await c1?.end()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  await a2?.end()
  await b1?.end()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'b2'])
  await Promise.all([a3?.end(), b2?.end()])
  expect(await b2?.done).toBe('b2')
})

it('work that fails leaves its place, and whoever waits too long is told so', async () => {
  const takeTurn = createTurns({ most: 1, refusal: { afterMs: 50, error: () => new Error('too long') } })
  const failed = takeTurn('a', () => Promise.reject(new Error('wrong')))
  await expect(failed).rejects.toThrow('wrong')
  const begun: string[] = []
  const long = start(takeTurn, begun, 'a', 'long')
  const late = start(takeTurn, begun, 'b', 'late')
  await expect(late.done).rejects.toThrow('too long')
  await long.end()
  await expect(takeTurn('b', async () => 'next')).resolves.toBe('next')
  expect(begun).toEqual(['long'])
})

it('of three places, one is kept for others than whoever has two, and who has fewest at work comes first', async () => {
  const takeTurn = createTurns({ most: 3, mostOf: who => (who === 'operator' ? 3 : 2) })
  const begun: string[] = []
  const of = (who: string, name: string) => start(takeTurn, begun, who, name)
  const [hung] = ['a1', 'a2', 'a3'].map(name => of('a', name))
  await turn()
  expect(begun).toEqual(['a1', 'a2'])
  const b1 = of('b', 'b1')
  const b2 = of('b', 'b2')
  const c1 = of('c', 'c1')
  await turn()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await b1.end()
  expect(begun.at(-1)).toBe('c1')
  await hung?.end()
  expect(begun.at(-1)).toBe('b2')
  await Promise.all([c1.end(), b2.end()])
  const all = ['o1', 'o2', 'o3'].map(name => of('operator', name))
  await turn()
  expect(begun.slice(-2)).toEqual(['a3', 'o1'])
  await all[0]?.end()
  expect(begun.at(-1)).toBe('o2')
})

describe('of a thread that is shared', () => {
  const clock = { time: 0, work: 0, now: () => clock.time, busy: () => clock.work }
  const share = { restsFor: 3, clock }
  const pass = async (ms: number) => {
    clock.time += ms
    await new Promise(resolve => setTimeout(resolve, 30))
  }

  it('one of each is at work while others are, and rests three times as long as the thread was busy', async () => {
    const takeTurn = createTurns({ most: 9, mostOf: () => 4, share })
    const begun: string[] = []
    const of = (who: string, name: string) => start(takeTurn, begun, who, name)
    const other = of('b', 'b1')
    const [first, , ...rest] = ['a1', 'a2', 'a3', 'a4'].map(name => of('a', name))
    await pass(0)
    expect(begun).toEqual(['b1', 'a1'])
    clock.work += 100
    await first?.end()
    await pass(299)
    expect(begun).toEqual(['b1', 'a1'])
    await pass(1)
    expect(begun).toEqual(['b1', 'a1', 'a2'])
    // The second one hangs.
    await pass(1000)
    expect(begun).toEqual(['b1', 'a1', 'a2', 'a3'])
    await other.end()
    await pass(999)
    expect(begun).toHaveLength(4)
    await pass(1)
    expect(begun).toEqual(['b1', 'a1', 'a2', 'a3', 'a4'])
    for (const each of rest) await each.end()
  })

  it('who may have any number at work never rests, and who is alone has as many as he may', async () => {
    const takeTurn = createTurns({ most: 9, mostOf: who => (who === 'operator' ? Infinity : 4), share })
    const begun: string[] = []
    const of = (who: string, name: string) => start(takeTurn, begun, who, name)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) of('a', name)
    await turn()
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4'])
    const first = of('operator', 'o1')
    of('operator', 'o2')
    await turn()
    clock.work += 100
    await first.end()
    of('operator', 'o3')
    await turn()
    expect(begun.slice(4)).toEqual(['o1', 'o2', 'o3'])
  })
})
