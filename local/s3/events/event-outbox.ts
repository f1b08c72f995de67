import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { backoff } from '#lib/pause-randomly.ts'
import type { Database } from '../../durable/database.ts'
import { within } from '../../within.ts'
import type { ObjectCreatedEvent } from './object-created.ts'

type Deliver = (event: ObjectCreatedEvent) => Promise<void>

const maxAtOnce = 32
const pauses = { first: 100, longest: 30_000 }

/**
 * Events to be delivered, at least once. Each is written in the transaction that commits its object and removed when the
 * receiver has accepted it; after a kill in between, the next start delivers it.
 */
export class EventOutbox {
  readonly #database: Database
  readonly #deliver: Deliver | undefined
  readonly #limit = pLimit(maxAtOnce)
  readonly #underWay = new Set<Promise<boolean>>()
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
    // Once the transaction is over.
    setImmediate(() => this.#deliverOne(sequence))
  }

  /** Delivers what an earlier process has left. */
  deliverKept(): void {
    if (this.#deliver === undefined) return
    const kept = this.#database.all<{ sequence: number }>('SELECT sequence FROM events ORDER BY sequence')
    for (const { sequence } of kept) void this.#deliverOne(sequence)
  }

  /** Begins no more deliveries and waits up to `graceMs` for those under way. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true
    await within(graceMs, Promise.all(this.#underWay))
    this.#isClosed = true
  }

  /** Never rejects. */
  async #deliverOne(sequence: number): Promise<void> {
    let isTaken = false
    const attempt = async (): Promise<void> => {
      if (!isTaken) {
        const sql = 'SELECT event FROM events WHERE sequence = ?'
        const row = this.#database.get<{ event: string }>(sql, sequence)
        if (row) await this.#deliver?.(JSON.parse(row.event))
      }
      isTaken = true
      // The database may be gone; then the event comes again at the next start.
      if (this.#isClosed) return
      await this.#database.transaction(() =>
        this.#database.run('DELETE FROM events WHERE sequence = ?', sequence),
      )
    }
    for (let failures = 0; !this.#isClosing; failures++) {
      // The receiver reports its own errors; here it only counts that it did not take the event. Or it did, and a full
      // disk keeps the row: then only its removal is tried again.
      if (await this.#limit(() => this.#whileOpen(attempt))) return
      await sleep(backoff(failures, pauses), undefined, { ref: false })
    }
  }

  /** Whether nothing is left to be done. */
  async #whileOpen(attempt: () => Promise<void>): Promise<boolean> {
    if (this.#isClosing) return true
    const attempted = attempt().then(
      () => true,
      () => false,
    )
    this.#underWay.add(attempted)
    return attempted.finally(() => this.#underWay.delete(attempted))
  }
}
