import { expect, it } from 'vitest'
import type { Mutant } from './mutants-of.ts'
import { sample } from './sample.ts'

const mutants = Array.from(
  { length: 60 },
  (_, index): Mutant => ({
    file: `file${index % 3}.ts`,
    line: Math.ceil((index + 1) / 6),
    kind: 'bound',
    start: index,
    end: index + 1,
    replacement: '1',
  }),
)
const placeOf = ({ file, line }: Mutant): string => `${file}:${line}`

it('the same seed chooses the same changes, another seed others', () => {
  expect(sample(mutants, 10, 7)).toEqual(sample(mutants, 10, 7))
  expect(sample(mutants, 10, 7)).not.toEqual(sample(mutants, 10, 8))
})

it('no line is changed twice, and a sample of all has one change of each line', () => {
  expect(new Set(sample(mutants, 12, 1).map(placeOf)).size).toBe(12)
  expect(new Set(sample(mutants, 1000, 1).map(placeOf))).toEqual(new Set(mutants.map(placeOf)))
})

it('a larger sample begins with the smaller one', () => {
  expect(sample(mutants, 20, 3).slice(0, 5)).toEqual(sample(mutants, 5, 3))
})
