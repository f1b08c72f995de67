import { setTimeout as sleep } from 'node:timers/promises'
import { TransientError } from '../../errors/errors.ts'
import type { ItemTable, ItemWrite } from '../../items/item-table.ts'
import type { CleanUps } from '../db/clean-ups.ts'
import type { DocumentFiles } from '../db/document-files.ts'
import type { Configuration, ConfigurationPlace } from './configuration.ts'
import { createConfigurationDocuments } from './configuration-documents.ts'
import { createConfigurationHeads, type Head } from './configuration-head.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { createScheduleNotes } from './schedule-notes.ts'

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
  const schedules = createScheduleNotes(items)

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

  /** The head with its version, its rows and what says that it has a schedule. Resolves to false when others were faster. */
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
      ...schedules.writing(place, configuration, from?.configuration),
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

  return { documents, heads, schedules, read, write, change }
}
