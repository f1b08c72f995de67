import type { S3Client } from '@aws-sdk/client-s3'
import type { TableEngine } from '../../table-engine/table-engine.ts'
import { tablesScratch } from './tables-scratch.ts'

const DEFAULT_MEMORY_MIB = 2048
// The engine's streams and the runtime need the rest. Larger sorts spill to disk, which has plenty of room.
const DATABASE_SHARE = 0.15
const SMALLEST_DATABASE_MIB = 256
// Lambda: a function has a second core from 1,769 MiB of memory (Developer Guide, "Configure Lambda function memory").
const MEMORY_OF_ONE_CORE_MIB = 1769

/**
 * The table engine, loaded on first use: it needs a native library, and most requests do not use it. Sized by the
 * memory of the function.
 */
export const createLazyTableEngine = (s3: S3Client, tablesBucket: string): (() => Promise<TableEngine>) => {
  let engine: Promise<TableEngine> | undefined
  return () => {
    engine ??= import('../../table-engine/table-engine.ts').then(({ createTableEngine }) => {
      const memoryMiB = Number(process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']) || DEFAULT_MEMORY_MIB
      return createTableEngine({
        s3,
        tablesBucket,
        scratchDir: tablesScratch,
        memoryLimitMiB: Math.max(SMALLEST_DATABASE_MIB, Math.floor(memoryMiB * DATABASE_SHARE)),
        threads: memoryMiB > MEMORY_OF_ONE_CORE_MIB ? 2 : 1,
      })
    })
    return engine
  }
}
