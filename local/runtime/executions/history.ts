/** Step Functions quotas, "Standard Workflows": events in the history of one execution. */
export const largestHistory = 25_000

/** What is read of the interpreter's events. */
export interface HistoryEvent {
  readonly type: string
  readonly state?: { readonly name: string; readonly type: string }
  readonly parentState?: { readonly name: string }
  readonly index?: number
}

/** For each attempt of a task: scheduled, started, and succeeded or failed. */
const EVENTS_OF_ATTEMPT = 3

/**
 * Counts the events that Step Functions would write into the history of an execution, and of the child executions of its
 * distributed Maps.
 *
 * The interpreter's events differ: a task is one state there, and an attempt with its retries is three events each here.
 */
export const createHistory = (mapOf: ReadonlyMap<string, string>) => {
  const lengths = new Map<string, number>()

  const historyOf = ({ state, index }: HistoryEvent): string => {
    const map = state && mapOf.get(state.name)
    return map === undefined ? 'execution' : `${map} ${index ?? 0}`
  }

  return {
    /** The length of the history that the event was added to. */
    add(event: HistoryEvent): number {
      const isChild = event.parentState !== undefined && [...mapOf.values()].includes(event.parentState.name)
      if (isChild) {
        // The Map run of the parent lists no iterations; each has a history that begins empty.
        if (event.type === 'MapIterationStarted') lengths.delete(`${event.parentState?.name} ${event.index}`)
        return 0
      }
      const history = historyOf(event)
      const length = (lengths.get(history) ?? 0) + weightOf(event)
      lengths.set(history, length)
      return length
    },
  }
}

const weightOf = ({ type, state }: HistoryEvent): number => {
  switch (type) {
    case 'StateEntered':
      return 1
    case 'StateExited':
      // A Map or Parallel says besides that it has started and succeeded.
      return state?.type === 'Task' ? 1 + EVENTS_OF_ATTEMPT : state?.type === 'Map' ? 3 : 1
    case 'StateFailed':
      return state?.type === 'Task' ? EVENTS_OF_ATTEMPT : 1
    case 'StateCaught':
      return 1
    default:
      // Retries are attempts, counted above. Everything else is one event there, too.
      return type === 'StateRetried' ? 0 : 1
  }
}
