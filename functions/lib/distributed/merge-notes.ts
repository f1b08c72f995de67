import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { z } from 'zod'
import { snapshotContent } from '../storage/snapshots/snapshot-content.ts'
import { tableRecord } from '../storage/tables/table-record.ts'
import { emptySnapshot, withFiles } from '../table-engine/snapshot.ts'
import type { StagedLoad } from './staged-load.ts'

/** Where everything of a large load lies until it is part of the table. */
export const stagingFolder = (jobId: number): string => `tables/staging/${jobId}`

/** What the stage step leaves for the merge. */
const stagedMerge = z.object({
  jobId: z.number(),
  tableId: z.string(),
  incremental: z.boolean(),
  /** The table's columns after the load, and the staged files as its only files. */
  staged: snapshotContent,
  /** What the head will say about the load. */
  lastLoad: tableRecord.shape.lastLoad,
  /** `_timestamp` of the rows that change (ISO 8601). */
  loadedAt: z.iso.datetime(),
})

export type StagedMerge = z.infer<typeof stagedMerge>

/** What the first start of a merge decides for all later steps. */
const mergeNotes = z.object({
  internalId: z.number(),
  /** The metadata that the head named, if any, and that with the load's columns, from which the query starts. */
  headKey: z.string().optional(),
  baseKey: z.string(),
  stagingKey: z.string(),
  /** Text of the query. */
  statement: z.string(),
})

export type MergeNotes = z.infer<typeof mergeNotes>

/** Notes of large loads, in the bucket of tables. They are written once. */
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
  return {
    readStaged: (jobId: number) => read(stagedKey(jobId), stagedMerge),
    /** After this, the next run of the job lets Athena merge the rows. `lastFieldId`: the highest that the table has then. */
    writeStaged: (
      { jobId, tableId, incremental, fields, files }: StagedLoad,
      { lastFieldId, ...facts }: Pick<StagedMerge, 'lastLoad' | 'loadedAt'> & { lastFieldId: number },
    ) => {
      const staged = withFiles({ ...emptySnapshot([], []), fields, lastFieldId }, files)
      const merge: StagedMerge = { jobId, tableId, incremental, staged, ...facts }
      return writeOnce(stagedKey(jobId), merge)
    },
    readNotes: (jobId: number) => read(notesKey(jobId), mergeNotes),
    writeNotes: (jobId: number, notes: MergeNotes) => writeOnce(notesKey(jobId), notes),
  }
}

export type MergeNotesStore = ReturnType<typeof createMergeNotes>
