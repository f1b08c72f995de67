import pMap from 'p-map'
import { z } from 'zod'
import { type ItemTable, startingWith } from '../../items/item-table.ts'

const POSITIONS = 'SWEEPS'
const NOTES = 'SWEEPS#UNNAMED'
const DELETES_AT_ONCE = 16

const position = z.object({ after: z.string() })
const note = z.object({ sk: z.string(), since: z.iso.datetime() })

/** What sweeps remember between two invocations. All of it may be lost: then they begin again, and things stay a day longer. */
export const createSweepStore = (items: ItemTable) => ({
  /** Where the sweep of a kind continues. `undefined`: from the start. */
  async position(kind: string): Promise<string | undefined> {
    const item = await items.get({ pk: POSITIONS, sk: kind })
    return item && position.parse(item).after
  },

  /** `undefined`: the next sweep begins from the start. */
  async keepPosition(kind: string, after: string | undefined): Promise<void> {
    const key = { pk: POSITIONS, sk: kind }
    if (after === undefined) await items.delete(key)
    else await items.put(key, { after })
  },

  /** Keys of objects that nothing named when they were looked at, and since when. `upTo` is the last one; default: all. */
  async *notes({
    after,
    upTo = startingWith('').to,
  }: {
    after: string
    upTo?: string | undefined
  }): AsyncGenerator<{ key: string; since: Date }> {
    for await (const item of items.query(NOTES, { from: after, to: upTo })) {
      const { sk, since } = note.parse(item)
      if (sk !== after) yield { key: sk, since: new Date(since) }
    }
  },

  note: (keys: readonly string[], since: Date): Promise<void> =>
    items.putAll(keys.map(key => ({ pk: NOTES, sk: key, since: since.toISOString() }))),

  async removeNotes(keys: readonly string[]): Promise<void> {
    await pMap(keys, key => items.delete({ pk: NOTES, sk: key }), { concurrency: DELETES_AT_ONCE })
  },
})
