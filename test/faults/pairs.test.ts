import { afterAll, beforeAll, expect, it } from 'vitest'
import { isThorough } from '../support/thorough.ts'
import { comebacks, countWrites, operations, playPair } from './pairs.ts'
import { startWorld, type World } from './world.ts'

/** Of the writes of an operation, one in so many is tried with each other operation; together they try them all. */
const ONE_IN = isThorough ? 1 : 6

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const catalogue = Object.values(operations).flatMap(group =>
  Object.entries(group).map(([name, a]) => ({ name, a, others: Object.entries(group) })),
)

it.each(catalogue)(
  '$name that dies at any write, and comes back after another operation',
  async ({ name, a, others }) => {
    const writes = await countWrites(world, a)
    const differences: string[] = []
    let plays = 0
    for (const [index, [other, b]] of others.entries())
      for (let write = 1 + (index % ONE_IN); write <= writes; write += ONE_IN)
        for (const comeback of isThorough ? comebacks : [comebacks[plays % comebacks.length] ?? 'retry']) {
          const play = { a, b, write, comeback, isLater: plays % 2 === 1 }
          plays += 1
          const found = await playPair(world, play).catch((error: unknown) => [String(error)])
          world.seam.calm()
          differences.push(
            ...found.map(
              difference =>
                `${name} dies after write ${write} of ${writes}, then ${other}, then ${comeback}: ${difference}`,
            ),
          )
        }
    expect(differences).toEqual([])
  },
)
