import { tmpdir } from 'node:os'
import path from 'node:path'

const DEFAULT_MEMORY_MIB = 2048

/** What a function has for the table engine: its scratch folder and its memory. For handlers, which give it on. */
export interface EngineRoom {
  readonly scratchDir: string
  readonly memoryMiB: number
}

export const tablesScratch = path.join(tmpdir(), 'millrace-tables')

export const engineRoom = (given: Readonly<Record<string, string | undefined>>): EngineRoom => ({
  scratchDir: tablesScratch,
  memoryMiB: Number(given['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']) || DEFAULT_MEMORY_MIB,
})
