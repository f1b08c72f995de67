import { backoff } from '#lib/pause-randomly.ts'
import type { Database } from '../../durable/database.ts'
import type { ObjectCreatedEvent } from './object-created.ts'

type Deliver = (event: ObjectCreatedEvent) => Promise<void>

const maxAtOnce = 32
const firstRetryMs = 100
const longestRetryMs = 30_000

/**
 * Events to be delivered, at least once. Each is written in the transaction that commits its object and removed when the
 * receiver has accepted it; after a kill in between, the next start delivers it.
 */
export class EventOutbox {
  readonly #database: Database
  readonly #deliver: Deliver | undefined
  readonly #underWay = new Map<number, Promise<void>>()
  /** Taken by the receiver, and not yet removed. */
  readonly #delivered = new Set<number>()
  readonly #failures = new Map<number, number>()
  readonly #timers = new Map<number, NodeJS.Timeout>()
  #isClosed = false
  #isWoken = false

  constructor(database: Database, deliver: Deliver | undefined) {
    this.#database = database
    this.#deliver = deliver
  }

  /** Call inside the transaction that commits the object. Without a receiver nothing is kept. */
  record(sequence: number, event: ObjectCreatedEvent): void {
    if (this.#deliver === undefined) return
    this.#database.run('INSERT INTO events VALUES (?, ?)', sequence, JSON.stringify(event))
    this.wake()
  }

  /** Delivers waiting events once the current transaction is over. */
  wake(): void {
    if (this.#isWoken || this.#deliver === undefined) return
    this.#isWoken = true
    setImmediate(() => {
      this.#isWoken = false
      this.#startWaiting(this.#deliver)
    })
  }

  /** Begins no more deliveries and waits up to `graceMs` for those under way. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    const grace = Promise.withResolvers<void>()
    const timer = setTimeout(grace.resolve, graceMs)
    await Promise.race([Promise.allSettled(this.#underWay.values()), grace.promise])
    clearTimeout(timer)
    this.#underWay.clear()
  }

  #startWaiting(deliver: Deliver | undefined): void {
    if (this.#isClosed || deliver === undefined || this.#underWay.size >= maxAtOnce) return
    const busy = this.#underWay.size + this.#timers.size
    const rows = this.#database.all<{ sequence: number; event: string }>(
      'SELECT sequence, event FROM events ORDER BY sequence LIMIT ?',
      busy + maxAtOnce,
    )
    for (const { sequence, event } of rows) {
      if (this.#underWay.size >= maxAtOnce) return
      if (this.#underWay.has(sequence) || this.#timers.has(sequence)) continue
      this.#underWay.set(sequence, this.#deliverOne(deliver, sequence, event))
    }
  }

  async #deliverOne(deliver: Deliver, sequence: number, event: string): Promise<void> {
    try {
      if (!this.#delivered.has(sequence)) await deliver(JSON.parse(event))
      this.#delivered.add(sequence)
      // After close the database may be gone; then the event comes again at the next start.
      if (!this.#underWay.has(sequence)) return
      await this.#database.transaction(() => {
        this.#database.run('DELETE FROM events WHERE sequence = ?', sequence)
      })
    } catch {
      // The receiver reports its own errors; here it only counts that it did not take the event. Or it did, and a full
      // disk keeps the row: then only its removal is tried again.
      this.#underWay.delete(sequence)
      if (!this.#isClosed) this.#retryLater(sequence)
      return
    }
    this.#underWay.delete(sequence)
    this.#delivered.delete(sequence)
    this.#failures.delete(sequence)
    if (!this.#isClosed) this.wake()
  }

  #retryLater(sequence: number): void {
    const failures = this.#failures.get(sequence) ?? 0
    this.#failures.set(sequence, failures + 1)
    const timer = setTimeout(
      () => {
        this.#timers.delete(sequence)
        this.wake()
      },
      backoff(failures, { first: firstRetryMs, longest: longestRetryMs }),
    )
    this.#timers.set(sequence, timer)
  }
}
