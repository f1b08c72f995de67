import { z } from 'zod'
import { shortDigest } from '../../digests.ts'
import { TransientError } from '../../errors/errors.ts'
import { type ItemTable, startingWith } from '../../items/item-table.ts'
import type { BucketRecord } from '../buckets/bucket-store.ts'
import type { NextId } from '../db/ids.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'

const metadatum = z.object({
  id: z.string(),
  key: z.string(),
  value: z.string(),
  /** Who set it. Empty for subjects whose metadata have no provider. */
  provider: z.string(),
  timestamp: z.string(),
  /** A column of the table. Empty: the subject itself. */
  column: z.string(),
})

export type Metadatum = z.infer<typeof metadatum>
export type NewMetadatum = Pick<Metadatum, 'key' | 'value' | 'provider' | 'column'>

/**
 * What metadata are about. The ids of a table and of a bucket are unique for ever: a new
 * one under an old name starts without metadata. A branch's copy has metadata of its own.
 */
export const metadataSubject = {
  table: ({ internalId }: { internalId: number }) => `table/${internalId}`,
  snapshot: ({ id }: { id: number }) => `snapshot/${id}`,
  bucket: ({ incarnation }: Pick<BucketRecord, 'incarnation'>) => `bucket/${incarnation}`,
  branch: (branchId: number) => `branch/${branchId}`,
  configuration: ({ internalId }: { internalId: string }) => `configuration/${internalId}`,
} as const

export const metadataPartition = (subject: string): string => `METADATA#${subject}`

/** What a definition says about a table or a column beside its type, as the console of the hosted service writes it. */
export const descriptionMetadatum = { key: 'KBC.description', provider: 'user' } as const

const busy = () =>
  new TransientError('storage.metadata.busy', 'The metadata are being changed by many requests at once.')

/** Metadata: values by key and provider. Setting an existing one changes its value and keeps its id. */
export const createMetadataStore = (items: ItemTable, now: () => Date) => {
  const keyOf = (subject: string, { column, provider, key }: NewMetadatum) => ({
    pk: metadataPartition(subject),
    // Digests: keys and providers may be longer than a sort key.
    sk: `${digest([column])}#${digest([provider, key])}`,
  })

  /** `newId` is used if it does not exist yet. */
  const set = (subject: string, given: NewMetadatum, newId: number): Promise<void> => {
    const key = keyOf(subject, given)
    const timestamp = now().toISOString()
    return untilWritten(busy, async () => {
      const isNew = await items.put(key, { ...given, timestamp, id: String(newId) }, 'absent')
      const change = { set: { value: given.value, timestamp } }
      return isNew || (await items.update(key, change, { key: given.key })) ? undefined : OVERTAKEN
    })
  }

  /** Of the subject and, for a table, of its columns. By creation time. */
  const list = async (subject: string): Promise<Metadatum[]> => {
    const stored = items.query(metadataPartition(subject), startingWith(''))
    const found = await Array.fromAsync(stored, item => metadatum.parse(item))
    return found.toSorted((a, b) => Number(a.id) - Number(b.id))
  }

  return {
    set,
    list,

    /** Resolves to what was deleted, or to `undefined` when the subject (or its column) has none with this id. */
    async delete(subject: string, id: string, column = ''): Promise<Metadatum | undefined> {
      const found = (await list(subject)).find(each => each.id === id && each.column === column)
      return found && (await items.delete(keyOf(subject, found), { id })) ? found : undefined
    },

    /** Copies all metadata of this subject to another. Without `nextId` they keep their ids. */
    async copy(from: string, to: string, nextId?: NextId): Promise<void> {
      for (const { id, key, value, provider, column } of await list(from))
        await set(to, { key, value, provider, column }, nextId?.() ?? Number(id))
    },

    /** Removes all metadata, or those of one column. */
    async clear(subject: string, column?: string): Promise<void> {
      for (const each of await list(subject))
        if (column === undefined || each.column === column) await items.delete(keyOf(subject, each))
    },
  }
}

export type MetadataStore = ReturnType<typeof createMetadataStore>

const digest = (parts: string[]): string => shortDigest(JSON.stringify(parts))
