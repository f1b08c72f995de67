import { z } from 'zod'
import { type ItemTable, startingWith } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import type { Configuration } from './configuration.ts'

/** `revision`: of the head for which the note was stored, and which its writer may never have stored. */
const scheduleNote = z.object({ sk: z.string(), internalId: z.string(), revision: z.number() })
export type ScheduleNote = z.infer<typeof scheduleNote>

interface Component {
  branchId: number
  componentId: string
}

interface Place extends Component {
  configId: string
}

const partition = ({ branchId, componentId }: Component): string => `SCHEDULES#${branchId}#${componentId}`

/** Whether it has a schedule of its own, also one that is switched off or cannot be read. */
export const hasSchedule = ({ current }: Configuration): boolean => {
  const { schedule } = JSON.parse(current.content.configuration)
  return schedule !== undefined && schedule !== null
}

/** Whether the clock has to look at it. */
export const isScheduled = (configuration: Configuration): boolean =>
  !configuration.current.content.isDeleted && hasSchedule(configuration)

/**
 * Which configurations have a schedule of their own: an item for each, so that the clock reads those alone.
 * Development branches have no notes, since schedules run in the default branch only.
 *
 * A note is stored before the head that has a schedule where the head before had none. So a writer that dies in
 * between leaves a note too many, never one too few. The next look drops a note too many, also that of a schedule
 * which was taken away, once the head has reached the note's revision: no write that stored the note can succeed
 * after that. A note whose configuration was never stored stays, and costs each look one read.
 */
export const createScheduleNotes = (items: ItemTable) => ({
  /** Before `next` is stored as this revision of the head. */
  async note(
    place: Place,
    next: Configuration,
    { revision, before }: { revision: number; before: Configuration | undefined },
  ): Promise<void> {
    if (place.branchId !== defaultBranchId || !isScheduled(next) || (before && isScheduled(before))) return
    await items.put({ pk: partition(place), sk: place.configId }, { internalId: next.internalId, revision })
  },

  /** The notes of a component by the ids of their configurations. */
  async *list(component: Component, after: string | undefined): AsyncGenerator<ScheduleNote> {
    const range = { ...startingWith(''), ...(after !== undefined && { from: `${after} ` }) }
    for await (const item of items.query(partition(component), range)) yield scheduleNote.parse(item)
  },

  /** Drops the note of a configuration that has no schedule in this revision of its head. */
  async drop(component: Component, { sk, internalId, revision }: ScheduleNote, head: number): Promise<void> {
    if (head >= revision) await items.delete({ pk: partition(component), sk }, { internalId, revision })
  },

  /** After the configuration was removed for good. */
  async forget(place: Place, internalId: string): Promise<void> {
    await items.delete({ pk: partition(place), sk: place.configId }, { internalId })
  },
})
