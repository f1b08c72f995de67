import { z } from 'zod'
import type { Reference } from '../db/document-cache.ts'
import { emptyObject, type Memory, memory } from './configuration.ts'
import { formatReferences, parseReferences } from './row-references.ts'

interface MemoryOfReferences extends Omit<Memory, 'rows'> {
  /** Every row there ever was, and its highest version. */
  rows: Reference[]
  /** The rows whose state was set, and the revision of the head that set it. */
  states: Reference[]
}

/** Reads the memory as it is stored, with references to states. Up to 0.1 it held them: they come as `embedded`. */
export const storedMemory = memory
  .extend({ rows: z.union([z.string(), memory.shape.rows]), states: z.string().default('') })
  .transform(({ rows, states, ...rest }): { memory: MemoryOfReferences; embedded: Memory['rows'] } => {
    const isCurrentForm = typeof rows === 'string'
    const versions = isCurrentForm
      ? parseReferences(rows)
      : rows.map(({ id, version }): Reference => [id, version])
    return {
      memory: { ...rest, rows: versions, states: parseReferences(states) },
      embedded: isCurrentForm ? [] : rows.filter(({ state }) => state !== emptyObject),
    }
  })

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
