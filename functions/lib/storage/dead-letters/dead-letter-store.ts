import { z } from 'zod'
import { digestBytes } from '../../digests.ts'
import { expiringIn, type ItemTable } from '../../items/item-table.ts'
import { fromIdParts, idSortKey } from '../db/ids.ts'
import { endOfLetter } from './end-of-letter.ts'
import { createKeptEnds, KEPT_DAYS, PARTITION } from './kept-ends.ts'
import { type End, openFailures } from './open-failures.ts'

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
})

export type DeadLetterRecord = z.infer<typeof deadLetterRecord>

const PAGE_SIZE = 100
/** Executions that begin in one millisecond and have digests next to each other. */
const MAX_ID_ATTEMPTS = 16

const keyOf = (id: number) => ({ pk: PARTITION, sk: idSortKey(id) })

/**
 * Work that failed, kept until it is mended, started again or deleted. Beside the letters there are the last ends of each
 * subject: a letter is open when `openFailures` of them says so, also while one that was replaced is not deleted yet.
 */
export const createDeadLetterStore = (items: ItemTable) => {
  const get = async (id: number): Promise<DeadLetterRecord | undefined> => {
    const item = await items.get(keyOf(id))
    return item && deadLetterRecord.parse(item)
  }

  /** An execution has one letter, the first that is stored. Its id is made of the execution, so that two reports of it meet. */
  const insert = async (
    letter: Omit<DeadLetterRecord, 'id'>,
    startedAt: string,
  ): Promise<DeadLetterRecord> => {
    const expiry = expiringIn(KEPT_DAYS, new Date(letter.at))
    const first = firstId(letter.source.execution, startedAt)
    for (let id = first; id < first + MAX_ID_ATTEMPTS; id++) {
      const record = { ...letter, id }
      if (await items.put(keyOf(id), { ...record, ...expiry }, 'absent')) return record
      const kept = await get(id)
      if (kept?.source.execution === letter.source.execution) return kept
    }
    throw new Error(`No free id for the dead letter of ${letter.source.execution}`)
  }

  const ends = createKeptEnds(items, async id => (await get(id)) !== undefined)

  return {
    get,

    /** Keeps the letter of an execution that began then (ISO 8601), in place of the last one about its subject. Repeated, it changes nothing. */
    async keep(letter: Omit<DeadLetterRecord, 'id'>, startedAt: string): Promise<DeadLetterRecord> {
      const record = await insert(letter, startedAt)
      const end = { ...endOfLetter(record), id: record.id }
      const passed = await ends.keep(end)
      if (passed?.id !== undefined && (passed === end || passed.id !== end.id))
        await items.delete(keyOf(passed.id))
      return record
    },

    /** Something has succeeded. Resolves to the letters that are mended by it, which are deleted. Repeated, it changes nothing. */
    async close(success: End): Promise<DeadLetterRecord[]> {
      await ends.keep(success)
      const kept = await ends.of(success.subject)
      const open = new Set<End>(openFailures<End>([...kept, success]))
      const closed: DeadLetterRecord[] = []
      for (const end of kept) {
        if (end.id === undefined || open.has(end)) continue
        const letter = await get(end.id)
        if (letter && (await items.delete(keyOf(end.id), { id: end.id }))) closed.push(letter)
        await ends.forget(end)
      }
      return closed
    },

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** Those of the letters that are open, by what is kept of their subjects and by other ends. */
    async openOf(letters: readonly DeadLetterRecord[], others: readonly End[]): Promise<DeadLetterRecord[]> {
      const told = letters.map(letter => ({ ...endOfLetter(letter), letter }))
      const kept = (await ends.about(told)).map(end => ({ ...end, letter: undefined }))
      const all: readonly (End & { letter?: DeadLetterRecord | undefined })[] = [...told, ...kept, ...others]
      return openFailures(all).flatMap(({ letter }) => letter ?? [])
    },

    /** Letters, open or not, those of the newest executions first, in batches. */
    async *batches({ maxId = Number.MAX_SAFE_INTEGER }: { maxId?: number | undefined } = {}) {
      const range = { from: ' ', to: idSortKey(maxId - 1), newestFirst: true, pageSize: PAGE_SIZE }
      let batch: DeadLetterRecord[] = []
      for await (const item of items.query(PARTITION, range)) {
        batch.push(deadLetterRecord.parse(item))
        if (batch.length < PAGE_SIZE) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
  }
}

export type DeadLetterStore = ReturnType<typeof createDeadLetterStore>

const firstId = (execution: string, startedAt: string): number => {
  const counter = digestBytes(execution).readUInt16BE(0) % 4096
  return fromIdParts({ milliseconds: Date.parse(startedAt), counter })
}
