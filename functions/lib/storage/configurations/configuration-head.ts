import { z } from 'zod'
import type { Item, ItemWrite } from '../../items/item-table.ts'
import { parseJson } from '../../json/parse-json.ts'
import { type DocumentFiles, storedText } from '../db/document-files.ts'
import { type Configuration, emptyObject, memory } from './configuration.ts'
import {
  type ConfigurationDocument,
  type ConfigurationDocuments,
  digestOf,
  formatReferences,
  parseReferences,
  type Reference,
  rowDocument,
  stateKey,
  versionDocument,
} from './configuration-documents.ts'

const headItem = z.object({ sk: z.string(), revision: z.number(), version: z.number(), memory: storedText })
/** The memory as it is stored, which refers to the last versions of rows and to their states. */
const storedMemory = memory.extend({ rows: z.string().transform(parseReferences) })

export interface Head {
  revision: number
  configuration: Configuration
  /** Of each row that ever existed, by its id. */
  references: ReadonlyMap<string, Reference>
}

const MAX_MEMORY_BYTES = 300_000

/** Head items of configurations: which version is the current one, and what does not depend on versions. */
export const createConfigurationHeads = (files: DocumentFiles, documents: ConfigurationDocuments) => ({
  /** Undefined when something is missing that it names: the head has been replaced or removed since it was read. */
  async load(item: Item): Promise<Head | undefined> {
    const { sk, revision, version, ...stored } = headItem.parse(item)
    const { rows: references, ...memory } = storedMemory.parse(parseJson(await files.load(stored.memory)))
    const keys = references.flatMap(({ id, state }) => (state === undefined ? [] : [stateKey(id, state)]))
    const [current, states] = await Promise.all([
      documents.version(memory.internalId, version),
      documents.loadStates(memory.internalId, keys),
    ])
    if (!current || states.size < keys.length) return undefined
    const rows = references.map(({ id, version, state = '' }) => ({
      id,
      version,
      state: states.get(stateKey(id, state)) ?? emptyObject,
    }))
    return {
      revision,
      configuration: { ...memory, rows, id: sk.slice(sk.indexOf('/') + 1), current },
      references: new Map(references.map(row => [row.id, row])),
    }
  },

  /** The item that replaces the head `from`, or the first one, and what is written with it. */
  async writing(
    { id: _, current, ...memory }: Configuration,
    from: Head | undefined,
  ): Promise<{ item: Item; writes: ItemWrite[] }> {
    const { internalId } = memory
    const before = from?.configuration.internalId === internalId ? from : undefined
    const { references, made, replaced } = referencesOf({ current, rows: memory.rows }, before?.references)
    const isNewVersion = before?.configuration.current !== current
    // Always with the head: it is the one of its number.
    const version = isNewVersion ? [versionDocument(current, references)] : []
    const text = JSON.stringify({ ...memory, rows: formatReferences(references) })
    return {
      item: {
        revision: (from?.revision ?? 0) + 1,
        version: current.version,
        memory: await files.keep(text, MAX_MEMORY_BYTES),
      },
      writes: [
        ...(await documents.writing(internalId, made, before === undefined)),
        ...(await documents.writing(internalId, version, false)),
        ...replaced.map(sk => documents.forgetting(internalId, sk)),
      ],
    }
  },
})

/** References to all rows that ever existed; the documents of those that are new, and the keys of states that are not named any more. */
const referencesOf = (
  { current, rows }: Pick<Configuration, 'current' | 'rows'>,
  before: ReadonlyMap<string, Reference> = new Map(),
) => {
  const made: ConfigurationDocument[] = []
  const replaced: string[] = []
  const content = new Map(current.content.rows.map(row => [row.id, row]))
  const references = rows.map(({ id, version, state: text }): Reference => {
    const was = before.get(id)
    const state = text === emptyObject ? undefined : digestOf(text)
    if (state !== was?.state) {
      if (state !== undefined) made.push({ sk: stateKey(id, state), text })
      if (was?.state !== undefined) replaced.push(stateKey(id, was.state))
    }
    const row = content.get(id)
    if (!row || was?.version === version) return { id, version, digest: was?.digest ?? '', state }
    const { digest, document } = rowDocument(row, was?.digest)
    made.push(document)
    return { id, version, digest, state }
  })
  return { references, made, replaced }
}
