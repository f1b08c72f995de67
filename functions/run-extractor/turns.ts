import { z } from 'zod'
import { DocumentMoved, type WorkStore } from './work-store.ts'

const turn = z.object({ owner: z.string().nullable(), takenAt: z.string() })

interface ConfigurationPlace {
  componentId: string
  configId: string
}

type TurnResult =
  /** `abandonedBy`: the execution that ended without giving the turn back. */
  { isTaken: true; abandonedBy?: string } | { isTaken: false; owner: string }

/** The right to run one configuration, held by one execution at a time. */
export interface Turns {
  /** Takes the turn, finds it its own, or says who holds it. */
  take(place: ConfigurationPlace, execution: string): Promise<TurnResult>
  isHeld(place: ConfigurationPlace, execution: string): Promise<boolean>
  /** Harmless when it is not ours. */
  giveBack(place: ConfigurationPlace, execution: string): Promise<void>
}

interface TurnsOptions {
  work: WorkStore
  /** Whether an execution is still under way: one that was stopped gives nothing back. */
  isRunning: (execution: string) => Promise<boolean>
  now: () => Date
}

const keyOf = ({ componentId, configId }: ConfigurationPlace) => `turns/${componentId}/${configId}.json`

const MAX_ATTEMPTS = 5

export const createTurns = ({ work, isRunning, now }: TurnsOptions): Turns => {
  const read = async (key: string) => {
    const stored = await work.read(key)
    return stored && { ...turn.parse(stored.value), etag: stored.etag }
  }

  const takeOnce = async (key: string, execution: string): Promise<TurnResult> => {
    const current = await read(key)
    const owner = current?.owner ?? null
    if (owner === execution) return { isTaken: true }
    if (owner !== null && (await isRunning(owner))) return { isTaken: false, owner }
    const taken = { owner: execution, takenAt: now().toISOString() }
    await work.write(key, taken, current ? { etag: current.etag } : 'absent')
    return { isTaken: true, ...(owner !== null && { abandonedBy: owner }) }
  }

  return {
    take: async (place, execution) => {
      const key = keyOf(place)
      for (let attempt = 1; ; attempt++) {
        try {
          return await takeOnce(key, execution)
        } catch (error) {
          // Somebody else came first, or our own write arrived and its reply did not: look again.
          if (!(error instanceof DocumentMoved) || attempt >= MAX_ATTEMPTS) throw error
        }
      }
    },

    isHeld: async (place, execution) => (await read(keyOf(place)))?.owner === execution,

    giveBack: async (place, execution) => {
      const key = keyOf(place)
      const current = await read(key)
      if (current?.owner !== execution) return
      const free = { owner: null, takenAt: now().toISOString() }
      await work.write(key, free, { etag: current.etag }).catch((error: unknown) => {
        if (!(error instanceof DocumentMoved)) throw error
      })
    },
  }
}
