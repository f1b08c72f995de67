import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import type { Bend } from './seam.ts'
import { playStory } from './story.ts'
import { startWorld } from './world.ts'

const STEPS = 14
const MOST_STORIES = 6

const world = await untilEnd(startWorld())

/** Where a job ends with a head, one of the two is written. */
const halfDecided: Bend = async (name, input, act) => {
  if (name !== 'items.transact' || !Array.isArray(input)) return act(input)
  return act(input.filter(({ key, when }) => when === 'absent' || !key.sk.startsWith('TABLE#')))
}

/** A request that is repeated with its key is a new request. */
const keyIgnored: Bend = async (name, input, act) => {
  if (!name.startsWith('http ') || !(input instanceof Request)) return act(input)
  const headers = new Headers(input.headers)
  headers.delete('Idempotency-Key')
  return act(new Request(input, { headers }))
}

/** Versions of a key are taken in the opposite of the order in which S3 stored them. */
const orderIgnored: Bend = async (name, input, act) => {
  const result = await act(input)
  if (name === 'S3.ListObjectVersionsCommand') Object(result).Versions?.reverse()
  return result
}

it.each([
  ['a job that ends without the head of its table', halfDecided],
  ['an idempotency key that is ignored', keyIgnored],
  ['the order of versions, ignored', orderIgnored],
] as const)('the stories catch %s', async (_, bug) => {
  world.seam.bendBy(bug)
  let found: string[] = []
  for (let seed = 1; seed <= MOST_STORIES && found.length === 0; seed++)
    found = (await playStory(world, seed, STEPS)).differences
  expect(found).not.toEqual([])
})
