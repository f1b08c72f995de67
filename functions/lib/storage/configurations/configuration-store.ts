import { setTimeout as sleep } from 'node:timers/promises'
import pMap from 'p-map'
import { z } from 'zod'
import { createLine } from '../db/create-line.ts'
import { type DocumentFiles, storedText } from '../db/document-files.ts'
import { type Item, type ItemTable, startingWith } from '../db/item-table.ts'
import { type Configuration, memory, type Version, version } from './configuration.ts'
import { createConfigurationHistory } from './configuration-history.ts'

/** Where a configuration is. Its ids have been checked against their patterns. */
export interface ConfigurationPlace {
  branchId: number
  componentId: string
  configId: string
}

const headItem = z.object({
  sk: z.string(),
  revision: z.number(),
  version: z.number(),
  document: storedText,
  memory: storedText,
})

type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

interface Head {
  revision: number
  configuration: Configuration
  document: z.infer<typeof storedText>
}

/** Together with what goes around them these stay below the 400 KB of an item. */
const MAX_DOCUMENT_BYTES = 300_000
const MAX_MEMORY_BYTES = 50_000

const LOADS_AT_ONCE = 8
// A request may take 29 s at the gateway; what is left is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400

/**
 * Configurations: one head item each that holds the current version whole, and an archive of the versions before.
 *
 * To write version n+1, the head is archived as version n (put if absent, so that a repeat is harmless) and then
 * replaced on condition that it has not moved. A crash in between leaves an archived copy of what is still the head.
 */
export const createConfigurationStore = (items: ItemTable, documents: DocumentFiles) => {
  const history = createConfigurationHistory(items, documents)
  const inLine = createLine()

  const keyOf = ({ branchId, componentId, configId }: ConfigurationPlace) => ({
    pk: `CONFIGS#${branchId}#${componentId}`,
    sk: configId,
  })

  const load = async (item: Item): Promise<Head> => {
    const head = headItem.parse(item)
    const [current, remembered] = await Promise.all([
      documents.load(head.document),
      documents.load(head.memory),
    ])
    const configuration = {
      ...memory.parse(JSON.parse(remembered)),
      id: head.sk,
      current: version.parse(JSON.parse(current)),
    }
    return { revision: head.revision, configuration, document: head.document }
  }

  const read = async (place: ConfigurationPlace): Promise<Head | undefined> => {
    const item = await items.get(keyOf(place))
    return item && load(item)
  }

  const write = async (
    place: ConfigurationPlace,
    { id: _, current, ...remembered }: Configuration,
    from?: Head,
  ): Promise<boolean> => {
    const document =
      from?.configuration.current === current
        ? from.document
        : await documents.keep(JSON.stringify(current), MAX_DOCUMENT_BYTES)
    const item = {
      revision: (from?.revision ?? 0) + 1,
      version: current.version,
      document,
      memory: await documents.keep(JSON.stringify(remembered), MAX_MEMORY_BYTES),
    }
    return items.put(keyOf(place), item, from ? { revision: from.revision } : 'absent')
  }

  /** Whether the write that was refused had in fact arrived, and only its reply was lost. */
  const hasArrived = async (place: ConfigurationPlace, written: Configuration): Promise<boolean> => {
    const { version: number, changed } = written.current
    const now = (await read(place))?.configuration
    if (now?.internalId !== written.internalId) return false
    const found = now.current.version === number ? now.current : await history.get(now.internalId, number)
    return found?.changed.identifier === changed.identifier
  }

  const changeOnce = async (
    place: ConfigurationPlace,
    step: ChangeStep,
  ): Promise<Configuration | 'missing' | 'moved'> => {
    const head = await read(place)
    if (!head) return 'missing'
    const { configuration } = head
    const next = await step(configuration)
    if (next === configuration) return configuration
    const isVersion = next.current !== configuration.current
    if (isVersion) await history.archive(configuration, head.document)
    if (await write(place, next, head)) return next
    return isVersion && (await hasArrived(place, next)) ? next : 'moved'
  }

  return {
    history,

    async get(place: ConfigurationPlace): Promise<Configuration | undefined> {
      return (await read(place))?.configuration
    },

    /** Resolves to false when there is one, in the trash or not. */
    insert: async (place: ConfigurationPlace, configuration: Configuration): Promise<boolean> =>
      (await write(place, configuration)) || hasArrived(place, configuration),

    /**
     * Applies a change to the configuration as it is now, again whenever another writer came first, until it is stored.
     * A step that returns what it was given changes nothing. Resolves to the configuration as it is then, to `missing`
     * when there is none, or to `conflict` when others kept coming first for 20 s. What the step throws is thrown.
     */
    change: (place: ConfigurationPlace, step: ChangeStep): Promise<Configuration | 'missing' | 'conflict'> =>
      inLine(`${place.branchId}/${place.componentId}/${place.configId}`, async () => {
        let pauseMs = 5
        for (const start = Date.now(); Date.now() - start < LONGEST_RETRY_MS; ) {
          const result = await changeOnce(place, step)
          if (result !== 'moved') return result
          // Random, so that writers who met once do not meet again; longer each time, the more there are of them.
          await sleep(Math.random() * pauseMs)
          pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
        }
        return 'conflict'
      }),

    /** Removes it with all its versions; resolves to false when it changed since it was read. */
    async purge(place: ConfigurationPlace): Promise<boolean> {
      const head = await read(place)
      if (!head) return true
      if (!(await items.delete(keyOf(place), { revision: head.revision }))) return false
      await history.purge(head.configuration.internalId)
      return true
    },

    /** The configurations of a component in the order of their ids, those in the trash too. */
    async list(branchId: number, componentId: string): Promise<Configuration[]> {
      const found: Item[] = []
      const { pk } = keyOf({ branchId, componentId, configId: '' })
      for await (const item of items.query(pk, startingWith(''))) found.push(item)
      const heads = await pMap(found, load, { concurrency: LOADS_AT_ONCE })
      return heads.map(({ configuration }) => configuration)
    },

    /** A version of it, the current one or one before. */
    async version(configuration: Configuration, number: number): Promise<Version | undefined> {
      if (number === configuration.current.version) return configuration.current
      return history.get(configuration.internalId, number)
    },
  }
}

export type ConfigurationStore = ReturnType<typeof createConfigurationStore>
