import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { TransientError } from '../../errors/errors.ts'
import type { ItemTable } from '../../items/item-table.ts'
import { createGroups } from '../db/create-groups.ts'
import type { DocumentFiles } from '../db/document-files.ts'
import type { Configuration, ConfigurationPlace, Version } from './configuration.ts'
import { createConfigurationHeads, type Head } from './configuration-head.ts'
import { createConfigurationHistory, storedVersion } from './configuration-history.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { createRowDocuments } from './row-documents.ts'
import { createScheduleNotes } from './schedule-notes.ts'

export type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

interface Change {
  readonly place: ConfigurationPlace
  readonly step: ChangeStep
}

type Group = readonly [Change, ...Change[]]
export type Changed = Configuration | 'missing' | 'conflict'
type Settled = PromiseSettledResult<Changed>

// The gateway allows a request 29 s. The rest is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400
const MAX_READS = 20
/** Of changes that become one write. Each holds its version in memory and in the head until it is in the history. */
const MAX_GROUP = 8
/** Configurations of which this process knows that the versions of the last group are in the history. */
const MAX_KNOWN_HEADS = 10_000

/** Reads and writes heads, and what they refer to. */
const createHeadFiles = (items: ItemTable, documents: DocumentFiles) => {
  const rows = createRowDocuments(items, documents)
  const heads = createConfigurationHeads(documents, rows)
  const history = createConfigurationHistory({ items, documents, rows })
  const known = new LRUCache<string, number>({ max: MAX_KNOWN_HEADS })

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

  return { rows, heads, history, keepPassed, read }
}

/** The item of a configuration's head. */
export const keyOf = ({ branchId, componentId, configId }: ConfigurationPlace) => ({
  pk: `CONFIGS#${branchId}#${componentId}`,
  sk: configId,
})

/** Reads and changes heads: see `createConfigurationStore`. */
export const createConfigurationHeadStore = (items: ItemTable, documents: DocumentFiles) => {
  const files = createHeadFiles(items, documents)
  const { rows, heads, history, keepPassed, read } = files
  const schedules = createScheduleNotes(items)

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

  return { ...files, schedules, write, hasArrived, change }
}

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
