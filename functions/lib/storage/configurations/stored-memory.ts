import { z } from 'zod'
import type { Reference } from '../db/document-cache.ts'
import { emptyObject, type Memory, memory } from './configuration.ts'
import { formatReferences, parseReferences } from './row-references.ts'

interface MemoryOfReferences extends Omit<Memory, 'rows'> {
  /** Every row that ever existed, and its highest version. */
  rows: Reference[]
  /** The rows with a state, and the head's revision in which it was set. */
  states: Reference[]
}

/** Reads the stored memory, which refers to states. */
export const storedMemory = memory.extend({ rows: z.string(), states: z.string() }).transform(
  ({ rows, states, ...rest }): MemoryOfReferences => ({
    ...rest,
    rows: parseReferences(rows),
    states: parseReferences(states),
  }),
)

export const memoryText = (
  { rows, ...rest }: Memory,
  stateRevisions: ReadonlyMap<string, number>,
): string => {
  const versions = rows.map(({ id, version }): Reference => [id, version])
  return JSON.stringify({
    ...rest,
    rows: formatReferences(versions),
    states: formatReferences([...stateRevisions]),
  })
}

/** The memory with the states of its rows. */
export const completeMemory = (
  { rows, states: _, ...rest }: MemoryOfReferences,
  statesById: ReadonlyMap<string, string>,
): Memory => ({
  ...rest,
  rows: rows.map(([id, version]) => ({ id, version, state: statesById.get(id) ?? emptyObject })),
})
