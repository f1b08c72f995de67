import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { isThorough } from '../support/thorough.ts'
import { creations, type Operation, onConfiguration, ordered, others } from './pair-operations.ts'
import { comebacks, countWrites, playPair } from './pairs.ts'
import { startWorld } from './world.ts'

const world = await untilEnd(startWorld())

type Operations = Readonly<Record<string, Operation>>

/** What dies, and what runs whole before it comes back. One in so many writes of A is tried with some B; thorough runs try all. */
const pairs = ([first, second]: [Operations, Operations], oneIn: number, hasTable = true) =>
  Object.entries(first).map(([name, a], place) => ({
    name: hasTable ? name : `${name} without a table`,
    a,
    others: Object.entries(second),
    oneIn,
    place,
    hasTable,
  }))

const every = { ...ordered, ...others }
const catalogue = [
  ...pairs([ordered, ordered], 6),
  ...pairs([ordered, others], 28),
  ...pairs([others, every], 40),
  ...pairs([creations, creations], 9, false),
  ...pairs([onConfiguration, onConfiguration], 2),
]

it.each(catalogue)(
  '$name that dies at any write, and comes back after another operation',
  async ({ name, a, others, oneIn, place, hasTable }) => {
    const writes = await countWrites(world, a, hasTable)
    const step = isThorough ? 1 : oneIn
    const differences: string[] = []
    let plays = 0
    for (const [index, [other, b]] of others.entries())
      for (let write = 1 + ((index + place) % step); write <= writes; write += step)
        for (const comeback of isThorough ? comebacks : [comebacks[plays % comebacks.length] ?? 'retry']) {
          const play = { a, b, hasTable, write, comeback, isLater: plays % 2 === 1 }
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
  // All 15,576 plays take some half an hour.
  isThorough ? 0 : undefined,
)
