import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** An operation, by its place, and how many calls it may make before the next one has its turn. */
export type Turns = readonly (readonly [operation: number, calls: number])[]

/** More calls than any operation makes. */
export const MANY = 1000

/** Of two operations: after so many calls of this one the other does all of its own. */
export const interrupted = (place: number, at: number): Turns => [
  [place, at],
  [1 - place, MANY],
]

interface Running {
  place: number
  /** Calls that wait for their turn. */
  parked: (() => void)[]
  /** Calls that it has made. */
  calls: number
  isCalling: boolean
  /** It waits for another operation. */
  isPausing: boolean
  hasEnded: boolean
}

/** Longer than any work between two calls. */
const LONGEST_MS = 20_000
/** An operation that waits for another looks again so often. */
const MOST_PAUSES = 200
const TURNS_WITHOUT_SLEEP = 200

/**
 * Lets operations run side by side in one process, and their calls of items through one at a time, in a given order. What
 * happens in between is all that can happen to them in processes of their own, and it happens again in the same way.
 */
export const createTurns = () => {
  const own = new AsyncLocalStorage<Running>()

  const park = (operation: Running): Promise<void> =>
    new Promise(go => {
      operation.parked.push(go)
    })

  return {
    /** A call of an operation, in its turn. Others are made at once. */
    call: async <Result>(act: () => Promise<Result>): Promise<Result> => {
      const operation = own.getStore()
      if (!operation || operation.hasEnded) return act()
      await park(operation)
      try {
        return await act()
      } finally {
        operation.isCalling = false
      }
    },

    /** The operation waits for another one. */
    pause: async (): Promise<void> => {
      const operation = own.getStore()
      if (!operation) throw new Error('Nobody else is there to wait for')
      operation.isPausing = true
      await park(operation)
      operation.isPausing = false
      operation.isCalling = false
    },

    /** Until all have ended. Resolves to what each resolves to, and to how many calls it made. */
    play: async <Result>(
      operations: readonly (() => Promise<Result>)[],
      turns: Turns,
    ): Promise<{ results: Result[]; calls: number[] }> => {
      const all = operations.map(
        (_, place): Running => ({
          place,
          parked: [],
          calls: 0,
          isCalling: false,
          isPausing: false,
          hasEnded: false,
        }),
      )
      const ends = all.map((running, place) =>
        own.run(running, async () => operations[place]?.()).finally(() => end(running)),
      )
      const outcome = Promise.all(ends)
      outcome.catch(() => {}) // It is awaited in the end.
      const choose = inTurn(turns)
      for (let pauses = 0; ; ) {
        await untilStill(all)
        const open = all.filter(({ hasEnded }) => !hasEnded)
        const awake = open.filter(({ isPausing }) => !isPausing)
        if (awake.length === 0) pauses += 1
        if (pauses > MOST_PAUSES) throw new Error('Each operation waits for another one')
        const next = awake.length > 0 ? choose(awake) : open[pauses % open.length]
        // Each place has an operation.
        if (!next) return { results: (await outcome) as Result[], calls: all.map(({ calls }) => calls) }
        next.calls += 1
        next.isCalling = true
        next.parked.shift()?.()
        await turn()
      }
    },
  }
}

export type TurnTaking = ReturnType<typeof createTurns>

const end = (running: Running): void => {
  running.hasEnded = true
  for (const go of running.parked) go()
}

/** When each operation has ended or waits for its turn. */
const untilStill = async (all: readonly Running[]): Promise<void> => {
  const since = Date.now()
  for (let turns = 0; ; turns++) {
    if (all.every(({ hasEnded, parked, isCalling }) => hasEnded || (parked.length > 0 && !isCalling))) return
    if (Date.now() - since > LONGEST_MS) throw new Error('An operation neither calls nor ends')
    await (turns < TURNS_WITHOUT_SLEEP ? turn() : sleep(1))
  }
}

/** The first that has calls left of its turns; in the end one after the other. */
const inTurn = (turns: Turns) => {
  const left = turns.map(([place, calls]) => ({ place, calls }))
  return (awake: readonly Running[]): Running | undefined => {
    for (const part of left) {
      const running = awake.find(({ place }) => place === part.place)
      if (!running || part.calls <= 0) continue
      part.calls -= 1
      return running
    }
    return awake[0]
  }
}
