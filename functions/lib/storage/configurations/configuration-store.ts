import { setTimeout as sleep } from 'node:timers/promises'
import pMap from 'p-map'
import { TransientError } from '../../errors/errors.ts'
import { createLine } from '../db/create-line.ts'
import type { DocumentFiles } from '../db/document-files.ts'
import { type Item, type ItemTable, startingWith } from '../db/item-table.ts'
import type { Configuration, Version } from './configuration.ts'
import { createConfigurationHeads, type Head } from './configuration-head.ts'
import { createConfigurationHistory } from './configuration-history.ts'
import { createRowDocuments } from './row-documents.ts'

/** Where a configuration is. Its ids have been checked against their patterns. */
export interface ConfigurationPlace {
  branchId: number
  componentId: string
  configId: string
}

type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

const LOADS_AT_ONCE = 8
// A request may take 29 s at the gateway; what is left is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400
const MAX_READS = 20

/**
 * Configurations: one head item each that holds the current version and what the last write set, an item for each
 * version of a row and for each row's state, and an archive of the versions before.
 *
 * A write first makes items of what the head holds alone: the rows and states of the write before and, for version
 * n+1, version n. Then it replaces the head on condition that it has not moved. All that goes before is of a head that
 * was written, so a repeat or a crash leaves nothing that is not true. A row of many costs what it is, and its
 * reference in the head.
 */
export const createConfigurationStore = (items: ItemTable, documents: DocumentFiles) => {
  const rows = createRowDocuments(items, documents)
  const heads = createConfigurationHeads(documents, rows)
  const history = createConfigurationHistory({ items, documents, rows })
  const inLine = createLine()

  const keyOf = ({ branchId, componentId, configId }: ConfigurationPlace) => ({
    pk: `CONFIGS#${branchId}#${componentId}`,
    sk: configId,
  })

  const read = async (place: ConfigurationPlace): Promise<Head | undefined> => {
    let last: unknown
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
      const item = await items.get(keyOf(place))
      const head = item && (await heads.load(item))
      if (!item || head) return head
      // Rows and states are items before a head refers to them: they can only be missing to a head of yesterday.
      if (item['revision'] === last)
        throw new Error(`Rows of the configuration ${place.configId} are missing`)
      last = item['revision']
    }
    throw new TransientError('storage.components.busy', 'The configuration is being changed by many writers.')
  }

  const write = async (
    place: ConfigurationPlace,
    configuration: Configuration,
    from?: Head,
  ): Promise<boolean> => {
    const item = await heads.toItem(configuration, from)
    return items.put(keyOf(place), item, from ? { revision: from.revision } : 'absent')
  }

  /** Makes items of what only the head holds, so that it can be replaced. Idempotent. */
  const keepPending = async ({ pending, configuration: { internalId } }: Head): Promise<void> => {
    await Promise.all([rows.keepRows(internalId, pending.rows), rows.keepStates(internalId, pending.states)])
  }

  const archive = async ({ configuration: { internalId, current }, document }: Head): Promise<void> =>
    history.archive(internalId, current, document ?? (await heads.keepVersion(current)))

  /** Whether the write that was refused had in fact arrived, and only its reply was lost. */
  const hasArrived = async (place: ConfigurationPlace, written: Configuration): Promise<boolean> => {
    const { version: number, changed } = written.current
    const now = (await read(place))?.configuration
    if (now?.internalId !== written.internalId) return false
    const found = now.current.version === number ? now.current : await history.entry(now.internalId, number)
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
    await Promise.all([keepPending(head), isVersion && archive(head)])
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
      const loaded = await pMap(
        found,
        async item =>
          (await heads.load(item)) ?? read({ branchId, componentId, configId: String(item['sk']) }),
        { concurrency: LOADS_AT_ONCE },
      )
      return loaded.flatMap(head => head?.configuration ?? [])
    },

    /** A version of it, the current one or one before. */
    async version(configuration: Configuration, number: number): Promise<Version | undefined> {
      if (number === configuration.current.version) return configuration.current
      return history.get(configuration.internalId, number)
    },
  }
}
