import { backoff } from '#lib/pause-randomly.ts'
import type { Database } from '../../durable/database.ts'
import { within } from '../../within.ts'
import type { ObjectCreatedEvent } from './object-created.ts'

type Deliver = (event: ObjectCreatedEvent) => Promise<void>

interface Delivery {
  failures: number
  /** The receiver has it; the row is still to be removed. */
  isTaken: boolean
  /** Under way, or waiting to be tried again. */
  isBusy: boolean
}

const maxAtOnce = 32
const pauses = { first: 100, longest: 30_000 }

/**
 * Events to be delivered, at least once. Each is written in the transaction that commits its object and removed when the
 * receiver has accepted it; after a kill in between, the next start delivers it.
 */
export class EventOutbox {
  readonly #database: Database
  readonly #deliver: Deliver | undefined
  readonly #deliveries = new Map<number, Delivery>()
  readonly #underWay = new Set<Promise<void>>()
  #isWoken = false
  #isClosing = false
  #isClosed = false

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
    if (this.#isWoken || this.#isClosing || this.#deliver === undefined) return
    this.#isWoken = true
    setImmediate(() => this.#deliverWaiting())
  }

  /** Begins no more deliveries and waits up to `graceMs` for those under way. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true
    await within(graceMs, Promise.all(this.#underWay))
    this.#isClosed = true
  }

  #deliverWaiting(): void {
    this.#isWoken = false
    if (this.#isClosing) return
    const sql = 'SELECT sequence, event FROM events ORDER BY sequence LIMIT ?'
    const rows = this.#database.all<{ sequence: number; event: string }>(
      sql,
      this.#deliveries.size + maxAtOnce,
    )
    for (const { sequence, event } of rows) {
      if (this.#underWay.size >= maxAtOnce) return
      const delivery = this.#deliveries.get(sequence) ?? { failures: 0, isTaken: false, isBusy: false }
      if (delivery.isBusy) continue
      this.#deliveries.set(sequence, delivery)
      const work = this.#deliverOne(sequence, event, delivery).finally(() => {
        this.#underWay.delete(work)
        this.wake()
      })
      this.#underWay.add(work)
    }
  }

  /** Never rejects. */
  async #deliverOne(sequence: number, event: string, delivery: Delivery): Promise<void> {
    delivery.isBusy = true
    try {
      if (!delivery.isTaken) await this.#deliver?.(JSON.parse(event))
      delivery.isTaken = true
      // The database may be gone; then the event comes again at the next start.
      if (this.#isClosed) return
      await this.#database.transaction(() =>
        this.#database.run('DELETE FROM events WHERE sequence = ?', sequence),
      )
      this.#deliveries.delete(sequence)
    } catch {
      // The receiver reports its own errors; here it only counts that it did not take the event. Or it did, and a full
      // disk keeps the row: then only its removal is tried again.
      const tryAgain = (): void => {
        delivery.isBusy = false
        this.wake()
      }
      setTimeout(tryAgain, backoff(delivery.failures++, pauses)).unref()
    }
  }
}
