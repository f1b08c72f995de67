import { z } from 'zod'
import { shortDigest } from '../../digests.ts'
import { TransientError } from '../../errors/errors.ts'
import {
  expiringIn,
  type ItemKey,
  type ItemTable,
  type ItemWrite,
  startingWith,
} from '../../items/item-table.ts'
import { idSortKey, type NextId } from '../db/ids.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import { type Subject, WHOLE } from './subject.ts'

const failureRecord = z.object({
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
  subject: z.object({ name: z.string(), scope: z.string() }),
})

export type FailureRecord = z.infer<typeof failureRecord>
type NewFailure = Omit<FailureRecord, 'id' | 'subject'>

const moment = { place: z.string().optional(), at: z.string() }

/** What is known of a subject. */
const subjectItem = z.object({
  /** Absent: nothing is stored. */
  revision: z.number().default(0),
  /** The last success, by its place and by its time. */
  done: z.object(moment).optional(),
  failed: z.object({ ...moment, id: z.number(), execution: z.string() }).optional(),
})

type Known = z.infer<typeof subjectItem>

const PARTITION = 'FAILURES'
/** DynamoDB may drop it after a year: nobody tries again what failed so long ago. */
const KEPT_DAYS = 365
const PAGE_SIZE = 100

const keyOf = (id: number): ItemKey => ({ pk: PARTITION, sk: idSortKey(id) })

/** After the failures, whose keys are digits. */
const prefixOf = (name: string): string => `OF/${shortDigest(name)}/`
const subjectKey = ({ name, scope }: Pick<Subject, 'name' | 'scope'>): ItemKey => ({
  pk: PARTITION,
  sk: `${prefixOf(name)}${shortDigest(scope)}`,
})

const unchanged = ({ revision }: Known) => (revision === 0 ? 'absent' : { revision })

/** What a subject is to be like, and what is written together with it. `undefined`: it stays as it is. */
type Change = { known: Omit<Known, 'revision'>; writes: ItemWrite[] } | undefined

/**
 * What failed and nobody has mended: one failure of a subject, which its next success removes. Beside it each subject keeps
 * the place of its last success, so that no failure which is told late is kept behind that.
 */
export const createFailureStore = (items: ItemTable, nextId: NextId, now: () => Date) => {
  const read = async (key: ItemKey): Promise<Known> => subjectItem.parse((await items.get(key)) ?? {})

  const get = async (id: number): Promise<FailureRecord | undefined> => {
    const item = await items.get(keyOf(id))
    return item && failureRecord.parse(item)
  }

  /** Resolves to whether there was something to change. */
  const change = (key: ItemKey, changeOf: (known: Known) => Promise<Change> | Change): Promise<boolean> =>
    untilWritten(
      () => new TransientError('storage.unavailable', 'Too many ends of the same work at once.'),
      async () => {
        const before = await read(key)
        const changed = await changeOf(before)
        if (changed === undefined) return false
        const { known, writes } = changed
        const item = { ...known, revision: before.revision + 1, ...expiringIn(KEPT_DAYS, now()) }
        const refused = await items.transact([
          { action: 'put', key, item, when: unchanged(before) },
          ...writes,
        ])
        return refused.length === 0 ? true : OVERTAKEN
      },
    )

  const mend = (key: ItemKey, success: Moment, { isNoted }: { isNoted: boolean }): Promise<boolean> =>
    change(key, ({ done, failed }) => {
      const isMended = failed !== undefined && !isBefore(success, failed)
      if (!isMended && !isNoted) return undefined
      return {
        known: { done: isNoted ? latest(done, success) : done, failed: isMended ? undefined : failed },
        writes: isMended ? [{ action: 'delete', key: keyOf(failed.id) }] : [],
      }
    })

  return {
    get,

    /** In place of the last failure of its subject, unless a success or a failure of a later place was told before. Repeated, it changes nothing. */
    async keep(failure: NewFailure, subject: Subject): Promise<void> {
      const { name, scope } = subject
      const { execution } = failure.source
      const wholeKey = subjectKey({ name, scope: WHOLE })
      await change(subjectKey(subject), async known => {
        const whole = scope === WHOLE ? known : await read(wholeKey)
        const { failed } = known
        for (const success of [known.done, whole.done])
          if (success && !isBefore(success, subject)) return undefined
        if (failed && (isBefore(subject, failed) || failed.execution === execution)) return undefined
        const id = nextId()
        const item = { ...failure, id, subject: { name, scope }, ...expiringIn(KEPT_DAYS, now()) }
        return {
          known: { done: known.done, failed: { ...latest(failed, subject), id, execution } },
          writes: [
            { action: 'put', key: keyOf(id), item, when: 'absent' },
            ...(failed ? [{ action: 'delete', key: keyOf(failed.id) } as const] : []),
            // A success that replaces everything looks for failures of versions once it is noted.
            ...(scope === WHOLE ? [] : [{ action: 'check', key: wholeKey, when: unchanged(whole) } as const]),
          ],
        }
      })
    },

    /** Removes what it mends. Repeated, it changes nothing. */
    async mend(subject: Subject): Promise<void> {
      const { name, scope } = subject
      await mend(subjectKey(subject), subject, { isNoted: true })
      if (scope !== WHOLE) return
      for await (const { pk, sk } of items.query(PARTITION, startingWith(prefixOf(name))))
        await mend({ pk: String(pk), sk: String(sk) }, subject, { isNoted: false })
    },

    /** Resolves to whether it was there. */
    async delete(id: number): Promise<boolean> {
      const found = await get(id)
      if (found === undefined) return false
      await change(subjectKey(found.subject), known => ({
        known: { done: known.done, failed: known.failed?.id === id ? undefined : known.failed },
        writes: [{ action: 'delete', key: keyOf(id) }],
      }))
      return true
    },

    /** Newest first. */
    async *list({ maxId = Number.MAX_SAFE_INTEGER }: { maxId?: number | undefined } = {}) {
      const range = { from: ' ', to: idSortKey(maxId - 1), newestFirst: true, pageSize: PAGE_SIZE }
      for await (const item of items.query(PARTITION, range)) yield failureRecord.parse(item)
    },
  }
}

export type FailureStore = ReturnType<typeof createFailureStore>

type Moment = Pick<Subject, 'place' | 'at'>

/** By their places; where one has none by their times. */
const isBefore = (a: Moment, b: Moment): boolean =>
  a.place === undefined || b.place === undefined ? a.at < b.at : a.place < b.place

/** Not before either of them. */
const latest = (known: Moment | undefined, { place = known?.place, at }: Moment): Moment => {
  const isKept = known?.place !== undefined && place !== undefined && known.place > place
  return { place: isKept ? known.place : place, at: known !== undefined && known.at > at ? known.at : at }
}
