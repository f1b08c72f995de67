import { type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import type { Configuration } from './configuration.ts'

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
const isScheduled = (configuration: Configuration): boolean =>
  !configuration.current.content.isDeleted && hasSchedule(configuration)

/**
 * Which configurations have a schedule of their own: an item for each, so that the clock reads those alone.
 * Development branches have no notes, since schedules run in the default branch only.
 *
 * A note is written and goes with the head that it says this of, in one transaction.
 */
export const createScheduleNotes = (items: ItemTable) => ({
  /** When `next` replaces `before`: `undefined` where there is none. */
  writing: (
    place: Place,
    next: Configuration | undefined,
    before: Configuration | undefined,
  ): ItemWrite[] => {
    const [is, was] = [next, before].map(one => one !== undefined && isScheduled(one))
    if (place.branchId !== defaultBranchId || is === was) return []
    const key = { pk: partition(place), sk: place.configId }
    return [is ? { action: 'put', key, item: {} } : { action: 'delete', key }]
  },

  /** The ids of those of a component. */
  async *list(component: Component, after: string | undefined): AsyncGenerator<string> {
    const range = { ...startingWith(''), ...(after !== undefined && { from: `${after} ` }) }
    for await (const { sk } of items.query(partition(component), range)) yield String(sk)
  },
})
