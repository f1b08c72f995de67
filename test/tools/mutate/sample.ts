import { randomFrom } from '../../support/random.ts'
import type { Mutant } from './mutants-of.ts'

/** Lines that follow from the seed, each as likely as any other that can be changed, and one change of each. */
export const sample = (mutants: readonly Mutant[], size: number, seed: number): Mutant[] => {
  const random = randomFrom(seed)
  const lines = [...Map.groupBy(mutants, ({ file, line }) => `${file}:${line}`).values()]
  const below = (limit: number): number => Math.floor(random() * limit)
  return Array.from({ length: Math.min(size, lines.length) }, () => {
    const [line = []] = lines.splice(below(lines.length), 1)
    return line.slice(below(line.length))[0]
  }).filter(mutant => mutant !== undefined)
}
