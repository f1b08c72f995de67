import { availableParallelism } from 'node:os'

/** Lambda: a function has one whole core at 1,769 MiB of memory (Developer Guide, "Configure Lambda function memory"). */
const MEMORY_OF_ONE_CORE_MIB = 1769

/**
 * Cores that the function may use. In Lambda its memory decides: Node sees two cores in every function. One machine sets
 * `MACHINE_CORES`, since its functions have all that it has.
 */
export const functionCores = (env: Readonly<Record<string, string | undefined>> = process.env): number => {
  const ofMachine = Number(env['MACHINE_CORES'])
  if (ofMachine >= 1) return Math.floor(ofMachine)
  const memoryMiB = Number(env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'])
  return memoryMiB > 0 ? Math.max(1, Math.floor(memoryMiB / MEMORY_OF_ONE_CORE_MIB)) : availableParallelism()
}
