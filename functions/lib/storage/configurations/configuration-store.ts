import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { pMapIterable } from 'p-map'
import { TransientError } from '../../errors/errors.ts'
import { createGroups } from '../db/create-groups.ts'
import type { DocumentFiles } from '../db/document-files.ts'
import { type Item, type ItemTable, startingWith } from '../db/item-table.ts'
import type { Configuration, Version } from './configuration.ts'
import { createConfigurationHeads, type Head } from './configuration-head.ts'
import { createConfigurationHistory, storedVersion } from './configuration-history.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { createRowDocuments } from './row-documents.ts'
import { createScheduleNotes, isScheduled, type ScheduleNote } from './schedule-notes.ts'

/** Where a configuration is. The ids have been validated. */
export interface ConfigurationPlace {
  branchId: number
  componentId: string
  configId: string
}

type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

interface Change {
  readonly place: ConfigurationPlace
  readonly step: ChangeStep
}

type Group = readonly [Change, ...Change[]]
type Changed = Configuration | 'missing' | 'conflict'
type Settled = PromiseSettledResult<Changed>

const LOADS_AT_ONCE = 8
// The gateway allows a request 29 s. The rest is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400
const MAX_READS = 20
/** Of changes that become one write. Each holds its version in memory and in the head until it is in the history. */
const MAX_GROUP = 8
/** Configurations of which this process knows that the versions of the last group are in the history. */
const MAX_KNOWN_HEADS = 10_000

/**
 * Configurations. Each has one head item with the current version and what the last write set, an item for each version
 * of a row, an item for each row's state, and an archive of its past versions.
 *
 * A write first copies to items what only the head holds: the rows and states of the last write and, for version n+1,
 * version n. Then it replaces the head on condition that nobody else has. Everything copied comes from a stored head,
 * so a repeat or a crash leaves nothing that is wrong. A change of one row costs that row and its reference in the
 * head.
 *
 * Changes that wait at the same time become one write: its head holds the versions that they passed, which are copied
 * to the history before anybody is answered, and by the next reader when the process died in between.
 */
export const createConfigurationStore = (items: ItemTable, documents: DocumentFiles) => {
  const rows = createRowDocuments(items, documents)
  const heads = createConfigurationHeads(documents, rows)
  const history = createConfigurationHistory({ items, documents, rows })
  const schedules = createScheduleNotes(items)
  const known = new LRUCache<string, number>({ max: MAX_KNOWN_HEADS })

  const keyOf = ({ branchId, componentId, configId }: ConfigurationPlace) => ({
    pk: `CONFIGS#${branchId}#${componentId}`,
    sk: configId,
  })

  /** Copies the versions that a head's group passed to the history. Idempotent. */
  const keepPassed = async (internalId: string, { passed, revision }: Pick<Head, 'passed' | 'revision'>) => {
    if (passed.length === 0 || known.get(internalId) === revision) return
    const keep = async (text: string) => ({
      version: storedVersion.parse(JSON.parse(text)),
      document: await heads.keepText(text),
    })
    await rows.keepRows(
      internalId,
      passed.flatMap(({ rows: newRows }) => newRows),
    )
    await history.archiveAll(internalId, await Promise.all(passed.map(({ version }) => keep(version))))
    known.set(internalId, revision)
  }

  const read = async (place: ConfigurationPlace): Promise<Head | undefined> => {
    let last: unknown
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
      const item = await items.get(keyOf(place))
      const head = item && (await heads.load(item))
      if (head) await keepPassed(head.configuration.internalId, head)
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
    passed?: readonly Version[],
  ): Promise<boolean> => {
    const item = await heads.toItem(configuration, from, passed)
    const revision = (from?.revision ?? 0) + 1
    await schedules.note(place, configuration, { revision, before: from?.configuration })
    return items.put(keyOf(place), item, from ? { revision: from.revision } : 'absent')
  }

  /** Copies to items what only the head holds, so that the head can be replaced. Idempotent. */
  const keepPending = async ({ pending, configuration: { internalId } }: Head): Promise<void> => {
    await Promise.all([rows.keepRows(internalId, pending.rows), rows.keepStates(internalId, pending.states)])
  }

  const archive = async ({ configuration: { internalId, current }, document }: Head): Promise<void> =>
    history.archive(internalId, current, document)

  /** Whether the refused write had in fact succeeded, and only its reply was lost. */
  const hasArrived = async (place: ConfigurationPlace, written: Configuration): Promise<boolean> => {
    const { version: number, changed } = written.current
    const now = (await read(place))?.configuration
    if (now?.internalId !== written.internalId) return false
    const found = now.current.version === number ? now.current : await history.entry(now.internalId, number)
    return found?.changed.identifier === changed.identifier
  }

  const changeOnce = async (group: Group): Promise<Settled[] | 'moved'> => {
    const [{ place }] = group
    const head = await read(place)
    if (!head) return group.map(() => ({ status: 'fulfilled', value: 'missing' }))
    const { configuration } = head
    const { next, passed, results } = await applyAll(configuration, group)
    if (next === configuration) return results
    const isVersion = next.current !== configuration.current
    await Promise.all([keepPending(head), isVersion && archive(head)])
    const isStored = await write(place, next, head, passed)
    if (!isStored && !(isVersion && (await hasArrived(place, next)))) return 'moved'
    // Before anybody hears of them. Whoever replaced our head meanwhile has done it already.
    await keepPassed(next.internalId, { passed: heads.passedBy(passed, head), revision: head.revision + 1 })
    return results
  }

  const change = createGroups<Change, Changed>(MAX_GROUP, async group => {
    let pauseMs = 5
    for (const start = Date.now(); Date.now() - start < LONGEST_RETRY_MS; ) {
      const results = await changeOnce(group)
      if (results !== 'moved') return results
      // Random, so that two writers do not meet again, and longer each time.
      await sleep(Math.random() * pauseMs)
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    }
    return group.map(() => ({ status: 'fulfilled', value: 'conflict' }))
  })

  return {
    history,

    async get(place: ConfigurationPlace): Promise<Configuration | undefined> {
      return (await read(place))?.configuration
    },

    /** Resolves to false when it exists, in the trash or not. */
    insert: async (place: ConfigurationPlace, configuration: Configuration): Promise<boolean> => {
      refuseTooLarge(undefined, configuration)
      return (await write(place, configuration)) || hasArrived(place, configuration)
    },

    /**
     * Applies a change to the current configuration, again whenever another writer was faster. A step that returns its
     * input writes nothing. Resolves to the stored configuration, to `missing` when there is none, or to `conflict`
     * when others were faster for 20 s. Rejects with what the step throws.
     */
    change: (place: ConfigurationPlace, step: ChangeStep): Promise<Changed> =>
      change(`${place.branchId}/${place.componentId}/${place.configId}`, { place, step }),

    /**
     * In a development branch: puts another configuration, with versions of its own, in the place of one with all
     * of its versions. `past`: its versions before the current one. Resolves to false when what is there has changed since
     * it was read; a crash may leave versions that nothing leads to any more.
     */
    async exchange(
      place: ConfigurationPlace,
      configuration: Configuration,
      past: readonly Version[] = [],
    ): Promise<boolean> {
      const head = await read(place)
      for (const version of past) {
        await rows.keepRows(configuration.internalId, version.content.rows)
        await history.archive(configuration.internalId, version, await heads.keepVersion(version))
      }
      if (!head) return write(place, configuration)
      const item = { ...(await heads.toItem(configuration)), revision: head.revision + 1 }
      if (!(await items.put(keyOf(place), item, { revision: head.revision }))) return false
      await history.purge(head.configuration.internalId)
      return true
    },

    /** Removes it with all its versions. Resolves to false when it has changed since it was read. */
    async purge(place: ConfigurationPlace): Promise<boolean> {
      const head = await read(place)
      if (!head) return true
      if (!(await items.delete(keyOf(place), { revision: head.revision }))) return false
      await schedules.forget(place, head.configuration.internalId)
      await history.purge(head.configuration.internalId)
      return true
    },

    /** The configurations of a component by id, including those in the trash. Reads few more than are taken. */
    async *scan(
      branchId: number,
      componentId: string,
      { after }: { after?: string | undefined } = {},
    ): AsyncGenerator<Configuration> {
      const { pk } = keyOf({ branchId, componentId, configId: '' })
      // No id holds a space, and none of their characters comes before it.
      const range = { ...startingWith(''), ...(after !== undefined && { from: `${after} ` }) }
      const load = async (item: Item) =>
        (await heads.load(item)) ?? read({ branchId, componentId, configId: String(item['sk']) })
      for await (const loaded of pMapIterable(items.query(pk, range), load, { concurrency: LOADS_AT_ONCE }))
        if (loaded) yield loaded.configuration
    },

    /**
     * Those that the clock has to look at, by id: of the default branch, with a schedule of their own. Reads no
     * others, except those whose schedule was taken away since the last look.
     */
    async *scanScheduled(
      branchId: number,
      componentId: string,
      after: string | undefined,
    ): AsyncGenerator<Configuration> {
      const load = async (note: ScheduleNote) => {
        const head = await read({ branchId, componentId, configId: note.sk })
        if (head && isScheduled(head.configuration)) return head.configuration
        return head && schedules.drop({ branchId, componentId }, note, head.revision)
      }
      const notes = schedules.list({ branchId, componentId }, after)
      for await (const found of pMapIterable(notes, load, { concurrency: LOADS_AT_ONCE }))
        if (found) yield found
    },

    /** How many there are, deleted ones too; at most `limit`. Reads no more than their ids. */
    async count(
      { branchId, componentId }: Omit<ConfigurationPlace, 'configId'>,
      limit: number,
    ): Promise<number> {
      let count = 0
      const { pk } = keyOf({ branchId, componentId, configId: '' })
      for await (const _ of items.query(pk, { ...startingWith(''), attributes: ['sk'] }))
        if (++count >= limit) break
      return count
    },

    /** All of them. */
    async list(branchId: number, componentId: string): Promise<Configuration[]> {
      const all: Configuration[] = []
      for await (const configuration of this.scan(branchId, componentId)) all.push(configuration)
      return all
    },

    /** One of its versions, current or past. */
    async version(configuration: Configuration, number: number): Promise<Version | undefined> {
      if (number === configuration.current.version) return configuration.current
      return history.get(configuration.internalId, number)
    },
  }
}

export type ConfigurationStore = ReturnType<typeof createConfigurationStore>

/**
 * What a group makes of a configuration, one step after the other. A step that throws changes nothing for the others.
 * `passed`: the versions between the first and the last, oldest first.
 */
const applyAll = async (configuration: Configuration, group: Group) => {
  const passed: Version[] = []
  const results: Settled[] = []
  let next = configuration
  for (const { step } of group) {
    try {
      const before = next
      const stepped = await step(before)
      refuseTooLarge(before, stepped)
      next = stepped
      if (next.current !== before.current && before.current !== configuration.current)
        passed.push(before.current)
      results.push({ status: 'fulfilled', value: next })
    } catch (reason) {
      results.push({ status: 'rejected', reason })
    }
  }
  return { next, passed, results }
}
