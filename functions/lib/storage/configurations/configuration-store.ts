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

/** Where a configuration is. The ids have been validated. */
export interface ConfigurationPlace {
  branchId: number
  componentId: string
  configId: string
}

type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

const LOADS_AT_ONCE = 8
// The gateway allows a request 29 s. The rest is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400
const MAX_READS = 20

/**
 * Configurations. Each has one head item with the current version and what the last write set, an item for each version
 * of a row, an item for each row's state, and an archive of its past versions.
 *
 * A write first copies to items what only the head holds: the rows and states of the last write and, for version n+1,
 * version n. Then it replaces the head on condition that nobody else has. Everything copied comes from a stored head,
 * so a repeat or a crash leaves nothing that is wrong. A change of one row costs that row and its reference in the
 * head.
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
      // Rows and states are stored before a head refers to them. They can only be missing for an outdated head.
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

  /** Copies to items what only the head holds, so that the head can be replaced. Idempotent. */
  const keepPending = async ({ pending, configuration: { internalId } }: Head): Promise<void> => {
    await Promise.all([rows.keepRows(internalId, pending.rows), rows.keepStates(internalId, pending.states)])
  }

  const archive = async ({ configuration: { internalId, current }, document }: Head): Promise<void> =>
    history.archive(internalId, current, document ?? (await heads.keepVersion(current)))

  /** Whether the refused write had in fact succeeded, and only its reply was lost. */
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

    /** Resolves to false when it exists, in the trash or not. */
    insert: async (place: ConfigurationPlace, configuration: Configuration): Promise<boolean> =>
      (await write(place, configuration)) || hasArrived(place, configuration),

    /**
     * Applies a change to the current configuration, again whenever another writer was faster. A step that returns its
     * input writes nothing. Resolves to the stored configuration, to `missing` when there is none, or to `conflict`
     * when others were faster for 20 s. Rejects with what the step throws.
     */
    change: (place: ConfigurationPlace, step: ChangeStep): Promise<Configuration | 'missing' | 'conflict'> =>
      inLine(`${place.branchId}/${place.componentId}/${place.configId}`, async () => {
        let pauseMs = 5
        for (const start = Date.now(); Date.now() - start < LONGEST_RETRY_MS; ) {
          const result = await changeOnce(place, step)
          if (result !== 'moved') return result
          // Random, so that two writers do not meet again, and longer each time.
          await sleep(Math.random() * pauseMs)
          pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
        }
        return 'conflict'
      }),

    /** Removes it with all its versions. Resolves to false when it has changed since it was read. */
    async purge(place: ConfigurationPlace): Promise<boolean> {
      const head = await read(place)
      if (!head) return true
      if (!(await items.delete(keyOf(place), { revision: head.revision }))) return false
      await history.purge(head.configuration.internalId)
      return true
    },

    /** The configurations of a component by id, including those in the trash. */
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

    /** One of its versions, current or past. */
    async version(configuration: Configuration, number: number): Promise<Version | undefined> {
      if (number === configuration.current.version) return configuration.current
      return history.get(configuration.internalId, number)
    },
  }
}
