import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { deleteObjects } from '../../cloud/delete-objects.ts'
import { listKeys } from '../../cloud/list-objects.ts'
import { hexDigest } from '../../digests.ts'
import { TransientError } from '../../errors/errors.ts'
import { decideIn, expiringIn, type ItemTable, type ItemWrite } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import type { Once } from '../db/idempotency-store.ts'
import { idSortKey, type NextId } from '../db/ids.ts'
import { type IdRange, queryNewest } from '../db/spread.ts'
import { createSpreadRecords } from '../db/spread-records.ts'
import { changeRevised } from '../db/until-written.ts'
import type { Rights } from '../tokens/rights.ts'

const fileRecord = z.object({
  id: z.number(),
  name: z.string(),
  /** Object key in the files bucket. For a sliced file: the prefix of its slices and its manifest. */
  key: z.string(),
  created: z.string(),
  sizeBytes: z.number(),
  contentType: z.string(),
  isPublic: z.boolean(),
  isSliced: z.boolean(),
  isEncrypted: z.boolean(),
  /** `null`: kept until deleted. */
  maxAgeDays: z.number().nullable(),
  tags: z.array(z.string()),
  runId: z.string().nullable(),
  runIds: z.array(z.string()),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  /** Ids of other tokens whose equal export this file answered. They may read it. */
  readers: z.array(z.string()).optional(),
  /** It has expired, and its objects are deleted. */
  isSwept: z.boolean().optional(),
  revision: z.number(),
})

export type FileRecord = z.infer<typeof fileRecord>

const DAY_MS = 86_400_000

/** When the file expires. `undefined`: never. */
export const expiryOf = ({
  created,
  maxAgeDays,
}: Pick<FileRecord, 'created' | 'maxAgeDays'>): Date | undefined =>
  maxAgeDays === null ? undefined : new Date(Date.parse(created) + maxAgeDays * DAY_MS)

const kindOf = (branchId: number): string => (branchId === defaultBranchId ? 'FILES' : `FILES#${branchId}`)

const recordsOf = (items: ItemTable, branchId: number) =>
  createSpreadRecords(items, kindOf(branchId), item => fileRecord.parse(item))

const FILES_AT_ONCE = 25

/** The files of one branch. */
export const createFileStore = (items: ItemTable, branchId = defaultBranchId) => {
  const records = recordsOf(items, branchId)
  const decide = decideIn(items)
  const tagNotes = createTagNotes(items, kindOf(branchId))

  const noting = (file: FileRecord) => tagNotes.adding({ ...file, expiry: expiryOf(file) })

  return {
    ...records,
    /** For a transaction. */
    inserting: async (file: FileRecord): Promise<ItemWrite[]> => [
      records.writing(file, 'absent'),
      ...(await noting(file)),
    ],

    /** `told`: its event. `once`: or the one that an earlier attempt of the request has made. */
    create: (
      nextId: NextId,
      make: (id: number) => FileRecord,
      { told = () => [], once }: { told?: (file: FileRecord) => ItemWrite[]; once?: Once | undefined } = {},
    ): Promise<FileRecord> =>
      records.create(nextId, make, {
        once,
        also: async file => [...(await noting(file)), ...told(file)],
      }),

    /** `told`: its event. */
    async delete(file: FileRecord, told: readonly ItemWrite[] = []): Promise<void> {
      await items.transact([records.deleting(file.id), ...told])
      await tagNotes.remove(file)
    },

    /** Files with at least one of the tags, newest first. */
    async *listTagged(tags: readonly string[], range: IdRange): AsyncGenerator<FileRecord> {
      for await (const ids of batchesOf(tagNotes.idsOf(tags, range)))
        for (const file of await records.getMany(ids))
          if (tags.some(tag => file.tags.includes(tag))) yield file
    },

    /** For reading only: also a file of the default branch. */
    getReadable: async (id: number): Promise<FileRecord | undefined> =>
      (await records.get(id)) ??
      (branchId === defaultBranchId ? undefined : recordsOf(items, defaultBranchId).get(id)),

    /**
     * Applies a change to the current file, again when another writer was faster; `alsoOf`: what is written with it. Resolves to the changed file, or
     * `undefined` when it does not exist.
     */
    update(
      id: number,
      change: (file: FileRecord) => FileRecord,
      alsoOf: (changed: FileRecord) => readonly ItemWrite[] = () => [],
    ): Promise<FileRecord | undefined> {
      return changeRevised(
        {
          read: () => records.get(id),
          write: async (file, { tags, revision }) => {
            const noted = await noting({ ...file, tags: file.tags.filter(tag => !tags.includes(tag)) })
            return decide([records.writing(file, { revision }), ...noted, ...alsoOf(file)])
          },
          busy: () =>
            new TransientError('storage.files.busy', `The file ${id} is being changed by many requests.`),
        },
        change,
      )
    },
  }
}

async function* batchesOf(ids: AsyncIterable<number>): AsyncGenerator<number[]> {
  let batch: number[] = []
  for await (const id of ids)
    if (batch.push(id) === FILES_AT_ONCE) {
      yield batch
      batch = []
    }
  yield batch
}

export type FileStore = ReturnType<typeof createFileStore>

/** Deletes the object of a file, or the slices and the manifest of a sliced one. Idempotent. */
export const deleteFileObjects = (
  s3: S3Client,
  bucket: string,
  { key, isSliced }: Pick<FileRecord, 'key' | 'isSliced'>,
): Promise<void> => deleteObjects(s3, bucket, isSliced ? listKeys(s3, { bucket, prefix: key }) : [key])

/**
 * A token sees the files that it made, and exports that answered its own request too. The master token, and tokens with that right, see all
 * (docs/reference/storage-api.md#file-resource).
 */
export const maySeeFile = (
  { canReadAllFileUploads, tokenId }: Pick<Rights, 'canReadAllFileUploads'> & { tokenId: string },
  { creatorToken, readers = [] }: Pick<FileRecord, 'creatorToken' | 'readers'>,
): boolean => canReadAllFileUploads || creatorToken.id === tokenId || readers.includes(tokenId)

interface TaggedFile {
  id: number
  tags: readonly string[]
  /** Default: never. */
  expiry?: Date | undefined
}

/** How long after its expiry a file can still be listed. */
const LISTED_DAYS = 120

/** With the rest of what a change of a file writes. */
const NOTES_TOGETHER = 15

/**
 * Which files have a tag. A note is there with the file that has it, of many tags before, and goes after it: whoever reads passes over notes
 * whose file has lost it.
 *
 * @param kind `FILES`, or that of a branch
 */
const createTagNotes = (items: ItemTable, kind: string) => {
  const partitionOf = (tag: string): string => `${kind}#TAG#${hexDigest(tag)}`

  const keysOf = ({ id, tags }: TaggedFile) =>
    [...new Set(tags)].map(tag => ({ pk: partitionOf(tag), sk: idSortKey(id) }))

  return {
    /** The writes of the notes of a file. Of more than a transaction has room for there are none: they are written at once. */
    async adding(file: TaggedFile): Promise<ItemWrite[]> {
      const { id, expiry } = file
      const item = { id, ...(expiry && expiringIn(LISTED_DAYS, expiry)) }
      const keys = keysOf(file)
      if (keys.length <= NOTES_TOGETHER) return keys.map(key => ({ action: 'put', key, item }))
      await items.putAll(keys.map(key => ({ ...item, ...key })))
      return []
    },

    async remove(file: TaggedFile): Promise<void> {
      for (const key of keysOf(file)) await items.delete(key)
    },

    /** Ids of files that may have one of the tags, newest first. */
    async *idsOf(tags: readonly string[], range: IdRange): AsyncGenerator<number> {
      let last: unknown
      for await (const { id } of queryNewest(items, [...new Set(tags)].map(partitionOf), range)) {
        if (id !== last) yield Number(id)
        last = id
      }
    },
  }
}
