import type { Budget } from '../../config/limits-schema.ts'
import type { Log } from '../masking/log.ts'
import { type BudgetRecord, budgetRecord, reserveRequests } from './reserve-requests.ts'

/** Where the record of a budget is. Those who share a budget share its store. */
export interface BudgetStore {
  /** The record as it is, and what `write` needs to replace it. Undefined: there is none. */
  read(): Promise<{ value: unknown; version: string } | undefined>
  /** Resolves to whether nobody else was first. `version` undefined: there must be none. */
  write(value: unknown, version: string | undefined): Promise<boolean>
}

export interface SharedBudgets {
  /** Names whose budget it is, so that nobody can read or guess secrets from it. */
  digest(text: string): string
  store(name: string): BudgetStore
}

export type RequestBudget = ReturnType<typeof createRequestBudget>

export interface RequestBudgetOptions {
  settings: Budget
  store: BudgetStore
  log: Log
  now: () => number
  wait: (seconds: number) => Promise<void>
  onWait: (seconds: number) => void
  random?: () => number
}

/** After another run was first. */
const SOON_SECONDS = 0.2

/** Takes requests out of a budget in blocks, and waits while it has none. */
export const createRequestBudget = (options: RequestBudgetOptions) => {
  const { settings, store, log, now, wait, random = Math.random } = options
  let left = 0
  let until = 0
  let reserving: Promise<void> | undefined

  const reserve = async (): Promise<void> => {
    for (;;) {
      const stored = await store.read()
      const reserved = reserveRequests(recordOf(stored?.value), settings, now())
      if ('waitSeconds' in reserved) {
        const { waitSeconds } = reserved
        log.info(
          `The budget of ${settings.requests} requests in ${settings.seconds} s is used up: waiting ${waitSeconds.toFixed(1)} s.`,
        )
        options.onWait(waitSeconds)
        await wait(waitSeconds)
      } else if (await store.write(reserved.record, stored?.version)) {
        left = reserved.granted
        until = reserved.until
        return
      } else {
        await wait(SOON_SECONDS * random())
      }
    }
  }

  return {
    /** Resolves when a request may be sent. */
    take: async (): Promise<void> => {
      while (left <= 0 || now() >= until) {
        reserving ??= reserve().finally(() => {
          reserving = undefined
        })
        await reserving
      }
      left--
    },
  }
}

/** A record of another form is none. */
const recordOf = (value: unknown): BudgetRecord => budgetRecord.catch([]).parse(value ?? [])

export const memoryBudget = (): BudgetStore => {
  let stored: { value: unknown; version: string } | undefined
  let count = 0
  return {
    read: async () => stored,
    write: async (value, version) => {
      if (version !== stored?.version) return false
      stored = { value, version: String(++count) }
      return true
    },
  }
}
