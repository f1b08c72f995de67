import { isDeepStrictEqual } from 'node:util'
import { pMapIterable } from 'p-map'
import { type Item, type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import type { CleanUps } from '../db/clean-ups.ts'
import type { DocumentFiles } from '../db/document-files.ts'
import type { Configuration, ConfigurationPlace, Row, Version } from './configuration.ts'
import { partsOf } from './configuration-documents.ts'
import { createConfigurationHeadStore, keyOf } from './configuration-head.ts'
import { writingSchedule } from './own-schedule.ts'
import { refuseTooLarge } from './refuse-too-large.ts'

const LOADS_AT_ONCE = 8

/**
 * Configurations. Each has one head item, an item for each of its versions, one for each version of a row and one for
 * each row's state. Only the head is ever replaced, in one transaction with what it names, on condition that nobody else
 * has. What is too much for that (a copy, a rollback of many rows) is written before, under names that only this head
 * would give it: what a lost attempt has left nobody finds, until it is cleared away. A change of one row costs that row and its
 * references.
 */
export const createConfigurationStore = (items: ItemTable, files: DocumentFiles, cleanUps: CleanUps) => {
  const heads = createConfigurationHeadStore(items, files, cleanUps)
  const { documents: history, read, write, change } = heads

  return {
    history,
    ...createConfigurationLists(items, heads),

    async get(place: ConfigurationPlace): Promise<Configuration | undefined> {
      return (await read(place))?.configuration
    },

    /** Resolves to false when it exists, in the trash or not. */
    insert: async (
      place: ConfigurationPlace,
      configuration: Configuration,
      also: readonly ItemWrite[] = [],
    ): Promise<boolean> => {
      refuseTooLarge(undefined, configuration)
      return write(place, configuration, undefined, also)
    },

    /**
     * Applies a change to the current configuration, again whenever another writer was faster. A step that returns its
     * input writes nothing. Resolves to the stored configuration, to `missing` when there is none, or to `conflict`
     * when others were faster for 20 s. Rejects with what the step throws.
     */
    change,

    /**
     * In a development branch: puts another configuration, with versions of its own, in the place of one with all
     * of its versions. Resolves to false when others were faster.
     */
    async exchange(
      place: ConfigurationPlace,
      configuration: Configuration,
      also: readonly ItemWrite[],
    ): Promise<boolean> {
      const head = await read(place)
      const left = head && partsOf(head.configuration)
      const leaving = left ? [cleanUps.leaving(left)] : []
      if (!(await write(place, configuration, head, [...also, ...leaving]))) return false
      if (left) await cleanUps.clear(left)
      return true
    },

    /** Removes it with all its versions and metadata. Resolves to false when it has changed since it was read, as `before` where that is given. */
    async purge(
      place: ConfigurationPlace,
      before?: Configuration,
      also: readonly ItemWrite[] = [],
    ): Promise<boolean> {
      const head = await read(place)
      if (!head) return true
      if (before && !isDeepStrictEqual(head.configuration, before)) return false
      const left = partsOf(head.configuration)
      const refused = await items.transact([
        { action: 'delete', key: keyOf(place), when: { revision: head.revision } },
        ...writingSchedule(place, undefined, head.configuration),
        cleanUps.leaving(left),
        ...also,
      ])
      if (refused.length > 0) return false
      await cleanUps.clear(left)
      return true
    },

    /** One of its versions, current or past. */
    async version(configuration: Configuration, number: number): Promise<Version | undefined> {
      if (number === configuration.current.version) return configuration.current
      return history.version(configuration.internalId, number)
    },

    /** The versions of a row of it, newest first. */
    async *rowVersions(place: ConfigurationPlace, rowId: string): AsyncGenerator<Row> {
      const head = await read(place)
      const reference = head?.references.get(rowId)
      if (head && reference) yield* history.listRow(head.configuration.internalId, reference)
    },
  }
}

export type ConfigurationStore = ReturnType<typeof createConfigurationStore>

type HeadFiles = Pick<ReturnType<typeof createConfigurationHeadStore>, 'heads' | 'read'>

/** Lists the configurations of a component. */
const createConfigurationLists = (items: ItemTable, { heads, read }: HeadFiles) => {
  const lists = {
    /** The configurations of a component by id, including those in the trash. Reads few more than are taken. */
    async *scan(
      branchId: number,
      componentId: string,
      { after }: { after?: string | undefined } = {},
    ): AsyncGenerator<Configuration> {
      const { pk, sk: prefix } = keyOf({ branchId, componentId, configId: '' })
      // No id holds a space, and none of their characters comes before it.
      const range = { ...startingWith(prefix), ...(after !== undefined && { from: `${prefix}${after} ` }) }
      const load = async (item: Item) =>
        (await heads.load(item)) ??
        read({ branchId, componentId, configId: String(item['sk']).slice(prefix.length) })
      for await (const loaded of pMapIterable(items.query(pk, range), load, { concurrency: LOADS_AT_ONCE }))
        if (loaded) yield loaded.configuration
    },

    /** The components that have configurations in a branch, deleted ones too. Reads one id of each. */
    async componentsIn(branchId: number): Promise<Set<string>> {
      const found = new Set<string>()
      const { pk } = keyOf({ branchId, componentId: '', configId: '' })
      const next = async (from: string): Promise<string | undefined> => {
        const range = { ...startingWith(''), from, pageSize: 1, attributes: ['sk'] }
        for await (const { sk } of items.query(pk, range)) return String(sk).split('/')[0]
        return undefined
      }
      // A zero comes right behind the slash after the id.
      for (let id = await next(' '); id !== undefined; id = await next(`${id}0`)) found.add(id)
      return found
    },

    /** All of them. */
    async list(branchId: number, componentId: string): Promise<Configuration[]> {
      const all: Configuration[] = []
      for await (const configuration of lists.scan(branchId, componentId)) all.push(configuration)
      return all
    },
  }
  return lists
}
