import { parseArgs } from 'node:util'
import { z } from 'zod'
import { type Plant, plants } from './plant.ts'

export interface SoakArguments {
  readonly seed: number
  readonly minutes: number
  readonly plant: Plant | undefined
  /** `MILLRACE_DURABILITY` of the process; default what the product does by itself. */
  readonly durability: 'relaxed' | 'full' | undefined
}

export const usage =
  'npm run soak -- [--seed N] [--minutes M] [--durability full|relaxed] [--plant head|idempotency|queue|sequencer]'

const plantNames = Object.keys(plants) as [Plant, ...Plant[]] // The keys of the constant, of which there are some.

const values = z.object({
  seed: z.coerce.number().int().min(0).max(0xffff_ffff).default(1),
  minutes: z.coerce.number().positive().max(10_000).default(5),
  plant: z.enum(plantNames).optional(),
  durability: z.enum(['relaxed', 'full']).optional(),
})

/** Throws an error whose message is for the person at the terminal. */
export const readArguments = (args: readonly string[]): SoakArguments => {
  const option = { type: 'string' } as const
  const given = parseArgs({
    args: [...args],
    options: { seed: option, minutes: option, plant: option, durability: option },
  })
  const result = values.safeParse(given.values)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new Error(`--${issue?.path.join('.')}: ${issue?.message}`)
  }
  return { plant: undefined, durability: undefined, ...result.data }
}
