import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { deleteObjects } from '../aws/delete-objects.ts'
import { listKeys } from '../aws/list-objects.ts'
import type { GlueCatalog } from '../iceberg/glue/glue-catalog.ts'
import { mergeTableName, stagingTableName } from '../iceberg/glue/glue-names.ts'
import { snapshotContent } from '../storage/tables/content/snapshot-content.ts'
import { tableRecord } from '../storage/tables/table-record.ts'
import { emptySnapshot, withFiles } from '../table-engine/files/snapshot.ts'
import { createDocuments } from './documents.ts'
import type { StagedLoad } from './load-documents.ts'

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

const documents = { load: stagedMerge, merge: mergeNotes, optimize: packedTable, adopted: adoptedMerge }

/** Notes of large loads and of tables that are packed, in the bucket of tables. They are written once. */
export const createMergeNotes = (s3: S3Client, tablesBucket: string) => {
  const { find, decide } = createDocuments(documents, { s3, bucket: tablesBucket, folderOf: stagingFolder })
  return {
    readStaged: (jobId: number) => find(jobId, 'load'),
    /**
     * After this, the next run of the job lets Athena merge the rows. `lastFieldId`: the highest that the table has then.
     * `primaryKey`: of a table that the load creates.
     */
    writeStaged: (
      { jobId, tableId, incremental, fields, files }: StagedLoad,
      { lastFieldId, primaryKey = [], ...facts }: StagedFacts,
    ) => {
      const staged = withFiles({ ...emptySnapshot([], primaryKey), fields, lastFieldId }, files)
      return decide(jobId, 'load', { jobId, tableId, incremental, staged, ...facts })
    },
    readPacked: (jobId: number) => find(jobId, 'optimize'),
    writePacked: (packed: PackedTable) => decide(packed.jobId, 'optimize', packed),
    readNotes: (jobId: number) => find(jobId, 'merge'),
    /** Resolves to what holds: another run of the step may have decided before. */
    decide: (jobId: number, notes: MergeNotes) => decide(jobId, 'merge', notes),
    readAdopted: (jobId: number) => find(jobId, 'adopted'),
    writeAdopted: (jobId: number, adopted: AdoptedMerge) => decide(jobId, 'adopted', adopted),

    /** Removes the folder of a load. May be repeated. */
    clear: (jobId: number) =>
      deleteObjects(
        s3,
        tablesBucket,
        listKeys(s3, { bucket: tablesBucket, prefix: `${stagingFolder(jobId)}/` }),
      ),
  }
}

export type MergeNotesStore = ReturnType<typeof createMergeNotes>

/**
 * Removes what a merge leaves in Glue, and its staging folder. May be repeated; what a crash leaves, the sweep removes.
 * The notes go last: without Glue's tables they start nothing.
 */
export const cleanUpMerge = async (
  jobId: number,
  { catalog, notes }: { catalog: Pick<GlueCatalog, 'drop'>; notes: Pick<MergeNotesStore, 'clear'> },
): Promise<void> => {
  await catalog.drop(mergeTableName(jobId))
  await catalog.drop(stagingTableName(jobId))
  await notes.clear(jobId)
}
