import { parseArgs } from 'node:util'
import { z } from 'zod'

export interface SoakArguments {
  readonly seed: number
  readonly minutes: number
  /** `MILLRACE_DURABILITY` of the process; default what the product does by itself. */
  readonly durability: 'relaxed' | 'full' | undefined
}

export const usage = 'npm run soak -- [--seed N] [--minutes M] [--durability full|relaxed]'

const values = z.object({
  seed: z.coerce.number().int().min(0).max(0xffff_ffff).default(1),
  minutes: z.coerce.number().positive().max(10_000).default(5),
  durability: z.enum(['relaxed', 'full']).optional(),
})

/** Throws an error whose message is for the person at the terminal. */
export const readArguments = (args: readonly string[]): SoakArguments => {
  const option = { type: 'string' } as const
  const given = parseArgs({
    args: [...args],
    options: { seed: option, minutes: option, durability: option },
  })
  const result = values.safeParse(given.values)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new Error(`--${issue?.path.join('.')}: ${issue?.message}`)
  }
  return { durability: undefined, ...result.data }
}
