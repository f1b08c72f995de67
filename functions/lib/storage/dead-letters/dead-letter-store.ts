import { z } from 'zod'
import { digestBytes } from '../../digests.ts'
import { expiringIn, type ItemTable, startingWith } from '../../items/item-table.ts'
import { fromIdParts, idSortKey } from '../db/ids.ts'

const deadLetterRecord = z.object({
  id: z.number(),
  /** The machine by the name of its construct: `import`, `export`, `extract` or `jobs`. */
  machine: z.string(),
  /** ARNs of the machine and of the execution that failed. */
  source: z.object({ machine: z.string(), execution: z.string() }),
  /** What the machine was started with. */
  input: z.record(z.string(), z.unknown()),
  failure: z.object({ code: z.string(), message: z.string() }),
  /** What else is known; see docs/operations.md. */
  details: z.record(z.string(), z.unknown()),
  /** ISO 8601. */
  at: z.string(),
  /** How the work is tried again, for a person. */
  redrive: z.string(),
  /** A later version of its file was imported by this job: nobody has to do anything. ISO 8601. */
  closed: z.object({ at: z.string(), jobId: z.number() }).optional(),
})

export type DeadLetterRecord = z.infer<typeof deadLetterRecord>

const PARTITION = 'DEADLETTERS'
/** DynamoDB may drop it after a year: nobody tries again what failed so long ago. */
const KEPT_DAYS = 365
const PAGE_SIZE = 100
/** Executions that begin in one millisecond and have digests next to each other. */
const MAX_ID_ATTEMPTS = 16

/** Work that failed, kept until somebody starts it again or deletes it. */
export const createDeadLetterStore = (items: ItemTable) => {
  const keyOf = (id: number) => ({ pk: PARTITION, sk: idSortKey(id) })

  const get = async (id: number): Promise<DeadLetterRecord | undefined> => {
    const item = await items.get(keyOf(id))
    return item && deadLetterRecord.parse(item)
  }

  return {
    get,

    /**
     * Keeps a dead letter; an execution has one, the first that is kept. Resolves to it, whoever wrote it.
     *
     * Its id is made of the start (ISO 8601) and the name of the execution, so that two reports of one execution meet.
     */
    async keep(letter: Omit<DeadLetterRecord, 'id'>, startedAt: string): Promise<DeadLetterRecord> {
      const expiry = expiringIn(KEPT_DAYS, new Date(letter.at))
      const first = firstId(letter.source.execution, startedAt)
      for (let id = first; id < first + MAX_ID_ATTEMPTS; id++) {
        const record = { ...letter, id }
        if (await items.put(keyOf(id), { ...record, ...expiry }, 'absent')) return record
        const kept = await get(id)
        if (kept?.source.execution === letter.source.execution) return kept
      }
      throw new Error(`No free id for the dead letter of ${letter.source.execution}`)
    },

    /** Resolves to false when it is gone. Repeated, it changes nothing. */
    close: async (
      { id, at }: DeadLetterRecord,
      closed: NonNullable<DeadLetterRecord['closed']>,
    ): Promise<boolean> => {
      const item = await items.get(keyOf(id))
      return (
        item !== undefined &&
        (item['closed'] !== undefined || items.put(keyOf(id), { ...item, closed }, { at }))
      )
    },

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** Those of the newest executions first. */
    async *list({ maxId = Number.MAX_SAFE_INTEGER }: { maxId?: number | undefined } = {}) {
      const range = { ...startingWith(''), to: idSortKey(maxId - 1), newestFirst: true, pageSize: PAGE_SIZE }
      for await (const item of items.query(PARTITION, range)) yield deadLetterRecord.parse(item)
    },
  }
}

export type DeadLetterStore = ReturnType<typeof createDeadLetterStore>

const firstId = (execution: string, startedAt: string): number => {
  const counter = digestBytes(execution).readUInt16BE(0) % 4096
  return fromIdParts({ milliseconds: Date.parse(startedAt), counter })
}
