import pMap from 'p-map'
import * as z from 'zod/mini'
import type { StoredPart } from '../lib/cloud/multipart/multipart-upload.ts'
import { type RecordTable, recordKey } from './key-records.ts'

/** What S3 answered to the parts of an upload that several functions fill: not every service lists their checksums. */
export interface PartNotes {
  add(uploadId: string, part: StoredPart): Promise<void>
  /** The notes of parts 1 to `count`. A part whose function died before its note has none. */
  read(uploadId: string, count: number): Promise<StoredPart[]>
}

interface PartNotesOptions {
  table: RecordTable
  now?: () => Date
}

/** Of one item: some 8 KB, so that an object of 10,000 parts is read in 100 requests. */
const PARTS_PER_ITEM = 100
const READS_IN_PARALLEL = 8
/** S3 keeps an unfinished upload for a few days (a lifecycle rule). */
const EXPIRES_SECONDS = 30 * 24 * 60 * 60

const attribute = /^part(\d+)$/
const note = z.object({ etag: z.string(), bytes: z.number(), checksum: z.string() })

/** Each part is an attribute of its own, so that functions that write side by side keep each other's notes. */
export const createPartNotes = ({ table, now = () => new Date() }: PartNotesOptions): PartNotes => {
  const keyOf = (uploadId: string, item: number) => recordKey(`parts#${uploadId}#${item}`)

  return {
    add: async (uploadId, { partNumber, ...part }) => {
      if (!part.checksum) return
      const expiresAt = Math.floor(now().getTime() / 1000) + EXPIRES_SECONDS
      await table.update(keyOf(uploadId, itemOf(partNumber)), {
        set: { [`part${partNumber}`]: part, expiresAt },
      })
    },

    read: async (uploadId, count) => {
      const items = await pMap(
        Array.from({ length: itemOf(count) + 1 }, (_, item) => item),
        item => table.get(keyOf(uploadId, item)),
        { concurrency: READS_IN_PARALLEL },
      )
      return items.flatMap((found = {}) =>
        Object.entries(found).flatMap(([name, value]) => read(name, value)),
      )
    },
  }
}

const itemOf = (partNumber: number): number => Math.floor((partNumber - 1) / PARTS_PER_ITEM)

const read = (name: string, value: unknown): StoredPart[] => {
  const [, partNumber] = attribute.exec(name) ?? []
  return partNumber === undefined ? [] : [{ partNumber: Number(partNumber), ...note.parse(value) }]
}
