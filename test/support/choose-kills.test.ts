import { expect, it } from 'vitest'
import { chooseKills, sampleOf } from './choose-kills.ts'

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

it.each([
  [1, [3]],
  [2, [2, 4]],
  [5, [1, 2, 3, 4, 5]],
])('takes %i of five moments evenly, and all when it is thorough', (count, expected) => {
  expect(sampleOf([1, 2, 3, 4, 5], count, false)).toEqual(expected)
  expect(sampleOf([1, 2, 3, 4, 5], count, true)).toEqual([1, 2, 3, 4, 5])
})
