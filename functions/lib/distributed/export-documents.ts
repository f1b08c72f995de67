import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { snapshotContent, tableFiles } from '../storage/tables/content/snapshot-content.ts'
import { rowSelection } from '../storage/tables/row-selection.ts'
import { exportedFileTypes } from '../table-engine/files/exported-file-types.ts'
import { createDocuments } from './documents.ts'
import { refusal } from './refusal.ts'

const refused = z.object({ refusal })
const slices = z.array(z.object({ key: z.string(), bytes: z.number() }))

/** Slices of a part, in order. `rows`: none means that there is no slice. */
const exported = z.object({ rows: z.number(), slices, bytesRead: z.number() })

const documents = {
  /** From `run-job`: what to export. Changes of the table after it do not count. */
  plan: z.object({
    /** What the table is remembered under when it has not changed since. */
    contentRevision: z.string(),
    selection: rowSelection.extend({ searchedColumns: z.array(z.string()).optional() }),
    fileType: z.enum(exportedFileTypes),
    gzip: z.boolean(),
    timestampZone: z.string().optional(),
    /** Without its files. */
    snapshot: snapshotContent,
    /** Which hold no statistics: what they rule out is not among them. */
    parts: z.array(tableFiles),
    /** Prefix of all slices. */
    target: z.object({ bucket: z.string(), key: z.string() }),
  }),
  /** Of each part: its slices. */
  part: z.union([refused, exported]),
}

export type ExportedPart = z.infer<typeof exported>

export type ExportDocument<Name extends keyof typeof documents> = z.infer<(typeof documents)[Name]>

/** Where everything of a large export lies but its slices. The sweep removes it a day after the job has ended. */
const exportFolder = (jobId: number): string => `tables/staging/${jobId}/export`

/** The documents of large exports, by job, in the bucket of tables. */
export const createExportDocuments = (s3: S3Client, tablesBucket: string) =>
  createDocuments(documents, { s3, bucket: tablesBucket, folderOf: exportFolder })

export type ExportDocuments = ReturnType<typeof createExportDocuments>
