import { z } from 'zod'
import { fromText } from './deployment-config.ts'
import { type FunctionName, functionNames } from './system.ts'

const sizes = (least: number) =>
  z.preprocess(fromText, z.partialRecord(z.enum(functionNames), z.int().min(least).max(10_240))).default({})

/** Sizes of functions by their names, in MiB, where the stack's own are not right for a load (Lambda quotas). */
export const sizeFields = {
  /** Processor power grows with the memory. */
  functionMemoryMiB: sizes(128),
  /** Of `/tmp`. */
  functionScratchMiB: sizes(512),
  /** Invocations at a time that are kept for a function, and the most that it gets. Default: what others leave. */
  functionConcurrency: z
    .preprocess(fromText, z.partialRecord(z.enum(functionNames), z.int().min(1)))
    .default({}),
}

/** Lambda lets nobody reserve the last 100 of an account (Developer Guide, "Configuring reserved concurrency"). */
const LEFT_UNRESERVED = 100

type Reserved = Partial<Record<FunctionName, number>>

interface Concurrency {
  readonly functionConcurrency: Reserved
  readonly accountConcurrency: number
}

/** What is wrong with the reserved concurrency, for the account as a whole; `undefined`: nothing. */
export const overReserved = ({
  functionConcurrency,
  accountConcurrency,
}: Concurrency): string | undefined => {
  const total = Object.values(functionConcurrency).reduce((sum, reserved) => sum + reserved, 0)
  const most = Math.max(0, accountConcurrency - LEFT_UNRESERVED)
  if (total <= most) return undefined
  return `reserves ${total}; of accountConcurrency ${accountConcurrency} at most ${most} can be: Lambda keeps ${LEFT_UNRESERVED} for all others`
}
