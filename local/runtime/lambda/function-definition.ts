import { join } from 'node:path'
import { type FunctionName, sizeOf } from '#infra/system.ts'

/** One function of the system, ready to run from its bundle. */
export interface FunctionDefinition {
  readonly name: string
  /** Absolute path of its bundle. */
  readonly codeFolder: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly memoryMiB: number
  /** How many run side by side on this machine; further ones that are under way wait. */
  readonly concurrency: number
  /** It begins when no lighter function waits for a process. */
  readonly isHeavy: boolean
}

/** An account runs up to a thousand invocations at a time; on two cores they would only slow each other down. One that loads holds 80 MB. */
const SIDE_BY_SIDE = 3

/** Of functions whose invocations are too short to keep others waiting. */
const FEW_SIDE_BY_SIDE = 2

/** With so much memory a function has one whole core in Lambda (Developer Guide, "Configuring function memory"). */
const MIB_OF_A_CORE = 1769

const SHORT_SECONDS = 120

export const functionDefinition = (
  name: FunctionName,
  bundles: string,
): Omit<FunctionDefinition, 'environment'> => {
  const { memoryMiB, seconds } = sizeOf(name)
  return {
    name,
    codeFolder: join(bundles, name),
    timeoutSeconds: seconds,
    memoryMiB,
    // A process takes 50 to 100 MB as soon as it has worked, and keeps it for the next invocation.
    isHeavy: memoryMiB > MIB_OF_A_CORE,
    concurrency: seconds <= SHORT_SECONDS ? FEW_SIDE_BY_SIDE : SIDE_BY_SIDE,
  }
}
