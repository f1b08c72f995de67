import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { z } from 'zod'
import { snapshotContent } from '../storage/snapshots/snapshot-content.ts'
import { tableRecord } from '../storage/tables/table-record.ts'
import { emptySnapshot, withFiles } from '../table-engine/snapshot.ts'
import type { StagedLoad } from './staged-load.ts'

/** Where everything of a job of Athena lies until it is part of the table. */
export const stagingFolder = (jobId: number): string => `tables/staging/${jobId}`

/** What the stage step leaves for the merge. */
const stagedMerge = z.object({
  jobId: z.number(),
  tableId: z.string(),
  incremental: z.boolean(),
  /** The branch of the job. Absent: the default branch. */
  branchId: z.number().optional(),
  /** The table that the load creates once its rows are merged. Absent: the table is there. */
  newTable: z.object({ bucketId: z.string(), name: z.string(), displayName: z.string() }).optional(),
  /** The table's columns after the load, and the staged files as its only files. */
  staged: snapshotContent,
  /** What the head will say about the load. */
  lastLoad: tableRecord.shape.lastLoad,
  /** `_timestamp` of the rows that change (ISO 8601). */
  loadedAt: z.iso.datetime(),
})

export type StagedMerge = z.infer<typeof stagedMerge>

/** What a job leaves that lets Athena pack the files of its table. */
const packedTable = z.object({
  jobId: z.number(),
  tableId: z.string(),
  /** The branch of the job. Absent: the default branch. */
  branchId: z.number().optional(),
  /** The files that are worth it, and their bytes. */
  files: z.number(),
  bytes: z.number(),
})

export type PackedTable = z.infer<typeof packedTable>

interface StagedFacts extends Pick<StagedMerge, 'lastLoad' | 'loadedAt' | 'branchId' | 'newTable'> {
  lastFieldId: number
  primaryKey?: string[]
}

/** What the first start of a query decides for all later steps. */
const mergeNotes = z.object({
  internalId: z.number(),
  /** The metadata that the head named, if any, and that with the load's columns, from which the query starts. */
  headKey: z.string().optional(),
  baseKey: z.string(),
  /** The metadata of the staged rows of a load. */
  stagingKey: z.string().optional(),
  /** Text of the query. */
  statement: z.string(),
})

export type MergeNotes = z.infer<typeof mergeNotes>

/** What was committed for a load that creates its table, once it is checked: the job begins the table with it. */
const adoptedMerge = z.object({ metadataKey: z.string() })

type AdoptedMerge = z.infer<typeof adoptedMerge>

/** Notes of large loads and of tables that are packed, in the bucket of tables. They are written once. */
export const createMergeNotes = (s3: S3Client, tablesBucket: string) => {
  const read = async <Value>(key: string, schema: z.ZodType<Value>): Promise<Value | undefined> => {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: tablesBucket, Key: key }))
      return schema.parse(JSON.parse((await Body?.transformToString()) ?? ''))
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }
  const writeOnce = async (key: string, value: unknown): Promise<void> => {
    const Body = JSON.stringify(value)
    try {
      await s3.send(new PutObjectCommand({ Bucket: tablesBucket, Key: key, Body, IfNoneMatch: '*' }))
    } catch (error) {
      // 412: another run of the same step was first, and its notes hold.
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
      if (status !== 412) throw error
    }
  }
  const stagedKey = (jobId: number) => `${stagingFolder(jobId)}/load.json`
  const notesKey = (jobId: number) => `${stagingFolder(jobId)}/merge.json`
  const packedKey = (jobId: number) => `${stagingFolder(jobId)}/optimize.json`
  const adoptedKey = (jobId: number) => `${stagingFolder(jobId)}/adopted.json`
  return {
    readStaged: (jobId: number) => read(stagedKey(jobId), stagedMerge),
    /**
     * After this, the next run of the job lets Athena merge the rows. `lastFieldId`: the highest that the table has then.
     * `primaryKey`: of a table that the load creates.
     */
    writeStaged: (
      { jobId, tableId, incremental, fields, files }: StagedLoad,
      { lastFieldId, primaryKey = [], ...facts }: StagedFacts,
    ) => {
      const staged = withFiles({ ...emptySnapshot([], primaryKey), fields, lastFieldId }, files)
      const merge: StagedMerge = { jobId, tableId, incremental, staged, ...facts }
      return writeOnce(stagedKey(jobId), merge)
    },
    readPacked: (jobId: number) => read(packedKey(jobId), packedTable),
    writePacked: (packed: PackedTable) => writeOnce(packedKey(packed.jobId), packed),
    readNotes: (jobId: number) => read(notesKey(jobId), mergeNotes),
    /** Resolves to what holds: another run of the step may have decided before. */
    async decide(jobId: number, notes: MergeNotes): Promise<MergeNotes> {
      await writeOnce(notesKey(jobId), notes)
      return (await read(notesKey(jobId), mergeNotes)) ?? notes
    },
    readAdopted: (jobId: number) => read(adoptedKey(jobId), adoptedMerge),
    writeAdopted: (jobId: number, adopted: AdoptedMerge) => writeOnce(adoptedKey(jobId), adopted),

    /** Removes the folder of a load. May be repeated. */
    async clear(jobId: number): Promise<void> {
      const folder = { Bucket: tablesBucket, Prefix: `${stagingFolder(jobId)}/` }
      for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, folder)) {
        const Objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]))
        if (Objects.length === 0) continue
        const { Errors: [first] = [] } = await s3.send(
          new DeleteObjectsCommand({ Bucket: tablesBucket, Delete: { Objects, Quiet: true } }),
        )
        if (first) throw new Error(`${first.Key} could not be deleted: ${first.Code}`)
      }
    },
  }
}

export type MergeNotesStore = ReturnType<typeof createMergeNotes>
