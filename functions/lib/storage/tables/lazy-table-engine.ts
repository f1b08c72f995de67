import { tmpdir } from 'node:os'
import path from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import type { TableEngine } from '../../table-engine/table-engine.ts'

// The engine's streams and the runtime need the rest. Larger sorts spill to disk, which has plenty of room.
const DATABASE_SHARE = 0.15
const SMALLEST_DATABASE_MIB = 256
// Lambda: a function has a second core from 1,769 MiB of memory (Developer Guide, "Configure Lambda function memory").
const MEMORY_OF_ONE_CORE_MIB = 1769

const DEFAULT_MEMORY_MIB = 2048

/** What a function has for the table engine: its scratch folder and its memory. For handlers, which give it on. */
export interface EngineRoom {
  /** Where it works. Between two pieces of work, nothing in it is needed. */
  readonly scratchDir: string
  readonly memoryMiB: number
}

export const tablesScratch = path.join(tmpdir(), 'millrace-tables')

export const engineRoom = (given: Readonly<Record<string, string | undefined>>): EngineRoom => ({
  scratchDir: tablesScratch,
  memoryMiB: Number(given['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']) || DEFAULT_MEMORY_MIB,
})

interface LazyEngineOptions extends EngineRoom {
  readonly s3: S3Client
  readonly tablesBucket: string
  /** See `EngineContext`. All functions have the same: a load may be done by several. */
  readonly roundsNumbers: boolean
}

/**
 * The table engine, loaded on first use: it needs a native library, and most requests do not use it. Sized by the
 * memory of the function.
 */
export const createLazyTableEngine = ({
  memoryMiB,
  ...options
}: LazyEngineOptions): (() => Promise<TableEngine>) => {
  let engine: Promise<TableEngine> | undefined
  return () => {
    engine ??= import('../../table-engine/table-engine.ts').then(({ createTableEngine }) => {
      return createTableEngine({
        ...options,
        memoryLimitMiB: Math.max(SMALLEST_DATABASE_MIB, Math.floor(memoryMiB * DATABASE_SHARE)),
        threads: memoryMiB > MEMORY_OF_ONE_CORE_MIB ? 2 : 1,
      })
    })
    return engine
  }
}
