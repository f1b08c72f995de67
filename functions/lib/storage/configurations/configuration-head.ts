import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import type { Item, ItemTable, ItemWrite } from '../../items/item-table.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { CleanUps } from '../db/clean-ups.ts'
import { type DocumentFiles, storedText } from '../db/document-files.ts'
import { type Configuration, type ConfigurationPlace, emptyObject, memory } from './configuration.ts'
import {
  type ConfigurationDocument,
  type ConfigurationDocuments,
  createConfigurationDocuments,
  digestOf,
  formatReferences,
  parseReferences,
  type Reference,
  rowDocument,
  stateKey,
  versionDocument,
} from './configuration-documents.ts'
import { writingSchedule } from './own-schedule.ts'
import { refuseTooLarge } from './refuse-too-large.ts'

type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

/** What is written with a change. */
type AlsoOf = (changed: Configuration, before: Configuration) => readonly ItemWrite[]
type Changed = Configuration | 'missing' | 'conflict'

// The gateway allows a request 29 s. The rest is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400
const MAX_READS = 20
/** The item of a configuration's head. No id of a component holds a slash. */
export const keyOf = ({ branchId, componentId, configId }: ConfigurationPlace) => ({
  pk: `CONFIGS#${branchId}`,
  sk: `${componentId}/${configId}`,
})

/** Reads and changes heads: see `createConfigurationStore`. */
export const createConfigurationHeadStore = (items: ItemTable, files: DocumentFiles, cleanUps: CleanUps) => {
  const documents = createConfigurationDocuments(items, files, cleanUps)
  const heads = createConfigurationHeads(files, documents)

  const read = async (place: ConfigurationPlace): Promise<Head | undefined> => {
    let last: unknown
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
      const item = await items.get(keyOf(place))
      const head = item && (await heads.load(item))
      if (!item || head) return head
      // What a head names is stored before it or with it, and goes with the next one.
      if (item['revision'] === last)
        throw new Error(`Rows of the configuration ${place.configId} are missing`)
      last = item['revision']
    }
    throw new TransientError('storage.components.busy', 'The configuration is being changed by many writers.')
  }

  /** The head with its version, its rows and its schedule. Resolves to false when others were faster. */
  const write = async (
    place: ConfigurationPlace,
    configuration: Configuration,
    from?: Head,
    also: readonly ItemWrite[] = [],
  ): Promise<boolean> => {
    const { item, writes } = await heads.writing(configuration, from)
    const when = from ? { revision: from.revision } : ('absent' as const)
    const refused = await items.transact([
      { action: 'put', key: keyOf(place), item, when },
      ...writes,
      ...writingSchedule(place, configuration, from?.configuration),
      ...also,
    ])
    return refused.length === 0
  }

  const changeOnce = async (
    place: ConfigurationPlace,
    step: ChangeStep,
    alsoOf: AlsoOf,
  ): Promise<Configuration | 'missing' | 'moved'> => {
    const head = await read(place)
    if (!head) return 'missing'
    const { configuration } = head
    const next = await step(configuration)
    refuseTooLarge(configuration, next)
    if (next === configuration) return next
    return (await write(place, next, head, alsoOf(next, configuration))) ? next : 'moved'
  }

  const change = async (
    place: ConfigurationPlace,
    step: ChangeStep,
    alsoOf: AlsoOf = () => [],
  ): Promise<Changed> => {
    let pauseMs = 5
    for (const start = Date.now(); Date.now() - start < LONGEST_RETRY_MS; ) {
      const result = await changeOnce(place, step, alsoOf)
      if (result !== 'moved') return result
      // Random, so that two writers do not meet again, and longer each time.
      await sleep(Math.random() * pauseMs)
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    }
    return 'conflict'
  }

  return { documents, heads, read, write, change }
}

const headItem = z.object({ sk: z.string(), revision: z.number(), version: z.number(), memory: storedText })
/** The memory as it is stored, which refers to the last versions of rows and to their states. */
const storedMemory = memory.extend({ rows: z.string().transform(parseReferences) })

interface Head {
  revision: number
  configuration: Configuration
  /** Of each row that ever existed, by its id. */
  references: ReadonlyMap<string, Reference>
}

const MAX_MEMORY_BYTES = 300_000

/** Head items of configurations: which version is the current one, and what does not depend on versions. */
const createConfigurationHeads = (files: DocumentFiles, documents: ConfigurationDocuments) => ({
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
