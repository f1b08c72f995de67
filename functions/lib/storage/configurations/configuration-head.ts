import { z } from 'zod'
import type { Item } from '../../items/item-table.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { Reference } from '../db/document-cache.ts'
import { type DocumentFiles, type StoredText, storedText } from '../db/document-files.ts'
import {
  type Configuration,
  emptyObject,
  type Memory,
  memory,
  type Row,
  rowSchema,
  type Version,
} from './configuration.ts'
import { completeVersion, storedVersion, versionText } from './configuration-history.ts'
import { formatReferences, parseReferences, pendingState, type RowDocuments } from './row-documents.ts'

/** What the last write set. Only the head holds it, until the next write moves it to items. */
const pendingSchema = z.object({ rows: z.array(rowSchema), states: z.array(pendingState) })
type Pending = z.infer<typeof pendingSchema>

const headItem = z.object({
  sk: z.string(),
  revision: z.number(),
  version: z.number(),
  document: storedText,
  memory: storedText,
  pending: storedText,
})

export interface Head {
  revision: number
  configuration: Configuration
  /** The current version as it is stored. */
  document: StoredText
  pending: Pending
  /** By row id: the head's revision in which the row's state was set. */
  stateRevisions: ReadonlyMap<string, number>
}

/** With the rest of the head these stay below the 400 KB of an item. */
const MAX_VERSION_BYTES = 200_000
const MAX_MEMORY_BYTES = 80_000
const MAX_PENDING_BYTES = 80_000

/** Head items of configurations: references to the rows of the current version, and what the last write set. */
export const createConfigurationHeads = (documents: DocumentFiles, rows: RowDocuments) => {
  const loadJson = async (stored: StoredText): Promise<unknown> => parseJson(await documents.load(stored))

  const keepVersion = (version: Version): Promise<StoredText> =>
    documents.keep(versionText(version), MAX_VERSION_BYTES)

  return {
    /** Undefined when a row or a state is missing: the head has been replaced or removed since it was read. */
    async load(item: Item): Promise<Head | undefined> {
      const { sk, revision, ...stored } = headItem.parse(item)
      const [version, memory, pending] = await Promise.all([
        loadJson(stored.document).then(json => storedVersion.parse(json)),
        loadJson(stored.memory).then(json => storedMemory.parse(json)),
        loadJson(stored.pending).then(json => pendingSchema.parse(json)),
      ])
      const stateRevisions = new Map(memory.states)
      for (const state of pending.states) stateRevisions.set(state.id, state.revision)

      const ownRows = new Map(pending.rows.map(row => [row.id, row]))
      const ownStates = new Map(pending.states.map(({ id, state }) => [id, state]))
      const wantedRows = version.content.rows.filter(([id]) => !ownRows.has(id))
      const wantedStates = memory.states.filter(([id]) => !ownStates.has(id))
      const [loadedRows, loadedStates] = await Promise.all([
        rows.loadRows(memory.internalId, wantedRows),
        rows.loadStates(memory.internalId, wantedStates),
      ])
      const current = completeVersion(version, new Map([...loadedRows, ...ownRows]))
      if (!current || loadedStates.size < wantedStates.length) return undefined
      return {
        revision,
        configuration: {
          ...completeMemory(memory, new Map([...loadedStates, ...ownStates])),
          id: sk.slice(sk.indexOf('/') + 1),
          current,
        },
        document: stored.document,
        pending,
        stateRevisions,
      }
    },

    /** The item that replaces the head `from`, or the first one. */
    async toItem({ id: _, current, ...memory }: Configuration, from?: Head): Promise<Item> {
      const revision = (from?.revision ?? 0) + 1
      const pending = {
        rows: newRows(current, from?.configuration.current),
        states: newStates(memory.rows, revision, from),
      }
      const stateRevisions = new Map(from?.stateRevisions)
      for (const state of pending.states) stateRevisions.set(state.id, revision)
      const isSameVersion = from?.configuration.current === current
      return {
        revision,
        version: current.version,
        document: (isSameVersion ? from.document : undefined) ?? (await keepVersion(current)),
        memory: await documents.keep(memoryText(memory, stateRevisions), MAX_MEMORY_BYTES),
        pending: await documents.keep(JSON.stringify(pending), MAX_PENDING_BYTES),
      }
    },
  }
}

const newRows = ({ content }: Version, from: Version | undefined): Row[] => {
  const before = new Map(from?.content.rows.map(({ id, version }) => [id, version]))
  return content.rows.filter(({ id, version }) => before.get(id) !== version)
}

const newStates = (
  rows: Configuration['rows'],
  revision: number,
  from: Head | undefined,
): Pending['states'] => {
  const before = new Map(from?.configuration.rows.map(({ id, state }) => [id, state]))
  return rows
    .filter(({ id, state }) => state !== (before.get(id) ?? emptyObject))
    .map(({ id, state }) => ({ id, state, revision, replaces: from?.stateRevisions.get(id) ?? 0 }))
}

interface MemoryOfReferences extends Omit<Memory, 'rows'> {
  /** Every row that ever existed, and its highest version. */
  rows: Reference[]
  /** The rows with a state, and the head's revision in which it was set. */
  states: Reference[]
}

/** Reads the stored memory, which refers to states. */
const storedMemory = memory.extend({ rows: z.string(), states: z.string() }).transform(
  ({ rows, states, ...rest }): MemoryOfReferences => ({
    ...rest,
    rows: parseReferences(rows),
    states: parseReferences(states),
  }),
)

const memoryText = ({ rows, ...rest }: Memory, stateRevisions: ReadonlyMap<string, number>): string => {
  const versions = rows.map(({ id, version }): Reference => [id, version])
  return JSON.stringify({
    ...rest,
    rows: formatReferences(versions),
    states: formatReferences([...stateRevisions]),
  })
}

/** The memory with the states of its rows. */
const completeMemory = (
  { rows, states: _, ...rest }: MemoryOfReferences,
  statesById: ReadonlyMap<string, string>,
): Memory => ({
  ...rest,
  rows: rows.map(([id, version]) => ({ id, version, state: statesById.get(id) ?? emptyObject })),
})
