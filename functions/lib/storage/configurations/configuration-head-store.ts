import { setTimeout as sleep } from 'node:timers/promises'
import { TransientError } from '../../errors/errors.ts'
import type { ItemTable, ItemWrite } from '../../items/item-table.ts'
import type { DocumentFiles } from '../db/document-files.ts'
import type { Configuration, ConfigurationPlace } from './configuration.ts'
import { createConfigurationHeads, type Head } from './configuration-head.ts'
import { createConfigurationHistory } from './configuration-history.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { createRowDocuments } from './row-documents.ts'
import { createScheduleNotes } from './schedule-notes.ts'

type ChangeStep = (configuration: Configuration) => Configuration | Promise<Configuration>

/** What is written with a change. */
type AlsoOf = (changed: Configuration, before: Configuration) => readonly ItemWrite[]
type Changed = Configuration | 'missing' | 'conflict'

// The gateway allows a request 29 s. The rest is for reading and answering.
const LONGEST_RETRY_MS = 20_000
const LONGEST_PAUSE_MS = 400
const MAX_READS = 20
/** Reads and writes heads, and what they refer to. */
const createHeadFiles = (items: ItemTable, documents: DocumentFiles) => {
  const rows = createRowDocuments(items, documents)
  const heads = createConfigurationHeads(documents, rows)
  const history = createConfigurationHistory({ items, documents, rows })

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

  return { rows, heads, history, read }
}

/** The item of a configuration's head. No id of a component holds a slash. */
export const keyOf = ({ branchId, componentId, configId }: ConfigurationPlace) => ({
  pk: `CONFIGS#${branchId}`,
  sk: `${componentId}/${configId}`,
})

/** Reads and changes heads: see `createConfigurationStore`. */
export const createConfigurationHeadStore = (items: ItemTable, documents: DocumentFiles) => {
  const files = createHeadFiles(items, documents)
  const { rows, heads, history, read } = files
  const schedules = createScheduleNotes(items)

  /** The head, with what says that it has a schedule. Resolves to false when others were faster. */
  const write = async (
    place: ConfigurationPlace,
    configuration: Configuration,
    from?: Head,
    also: readonly ItemWrite[] = [],
  ): Promise<boolean> => {
    const item = await heads.toItem(configuration, from)
    const when = from ? { revision: from.revision } : ('absent' as const)
    const refused = await items.transact([
      { action: 'put', key: keyOf(place), item, when },
      ...schedules.writing(place, configuration, from?.configuration),
      ...also,
    ])
    return refused.length === 0
  }

  /** Copies to items what only the head holds, so that the head can be replaced. Idempotent. */
  const keepPending = async ({ pending, configuration: { internalId } }: Head): Promise<void> => {
    await Promise.all([rows.keepRows(internalId, pending.rows), rows.keepStates(internalId, pending.states)])
  }

  const archive = async ({ configuration: { internalId, current }, document }: Head): Promise<void> =>
    history.archive(internalId, current, document)

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
    await Promise.all([keepPending(head), next.current !== configuration.current && archive(head)])
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

  return { ...files, schedules, write, change }
}
