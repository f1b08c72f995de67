import { expect, it } from 'vitest'
import { chooseKills } from './choose-kills.ts'

const kinds = ['a', 'a', 'b', 'a', 'a', 'c', 'a', 'a', 'a', 'b', 'a', 'a', 'd']

it('dies by default after each fourth write, and the first of each kind that is not among them', () => {
  const kills = chooseKills(kinds, false)
  expect(kills.map(({ write }) => write)).toEqual([3, 4, 6, 8, 12, 13])
  expect(kills.every(({ when }) => when === 'after')).toBe(true)
  expect(kills.map(({ isNewExecution }) => isNewExecution)).toEqual([false, true, false, true, false, true])
})

it('dies on both sides of every write when it is thorough', () => {
  const kills = chooseKills(kinds, true)
  for (const when of ['before', 'after'])
    expect(kills.filter(kill => kill.when === when).map(({ write }) => write)).toEqual(
      kinds.map((_, index) => index + 1),
    )
})
