import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { fieldType, snapshotContent, tableFiles } from '../storage/tables/content/snapshot-content.ts'
import { cutStates } from '../table-engine/csv/cut/scan-range.ts'
import { createDocuments } from './documents.ts'
import { type LoadPlace, loadPrefix } from './load-place.ts'
import { refusal } from './refusal.ts'

const numbers = z.array(z.number())
const names = z.array(z.string())
const types = z.array(z.object({ type: fieldType, isTime: z.boolean().optional(), named: z.string() }))
const recordPlace = z.object({ offset: z.number(), line: z.number() })
const span = z.object({ start: z.number(), end: z.number() })
const fileRange = span.extend({ file: z.number() })
const cutState = z.enum(cutStates)
const passed = z.object({ state: cutState, records: z.number() })
const refused = z.object({ refusal })

const pinnedSlice = z.object({ bucket: z.string(), key: z.string(), etag: z.string(), bytes: z.number() })

/**
 * What the steps of a load pass to each other, each written once by one step. Step Functions carries at most 256 KiB
 * between states, so they carry numbers only.
 */
const documents = {
  /** From `run-job`: what to load, each slice pinned to its content. */
  request: z.object({
    source: z.object({
      slices: z.array(pinnedSlice),
      isSliced: z.boolean(),
      isParquet: z.boolean().optional(),
      delimiter: z.string(),
      enclosure: z.string(),
      escapedBy: z.string(),
      columns: names.optional(),
      withoutHeaders: z.boolean().optional(),
      ignoredLinesCount: z.number().optional(),
      treatValuesAsNull: names.optional(),
      hidesCells: z.boolean().optional(),
      types: z.enum(['text', 'detect']).optional(),
      missingColumns: z.enum(['empty', 'emptyByKey']).optional(),
    }),
    /** Without its files. Absent: the load creates the table. */
    current: snapshotContent.optional(),
    primaryKey: names,
    incremental: z.boolean(),
    inferredColumns: names.optional(),
    loadedAt: z.string(),
    warnings: names,
  }),
  /** The compressed slices, and those of Parquet, in groups that one function makes CSV of. */
  opened: z.union([refused, z.object({ compressed: numbers, groups: z.array(numbers) })]),
  /** Of each such slice: its size as it is cut, what could not be read of it, what Parquet says of its columns, and whether it was JSON. */
  uncompressed: z.union([
    refused,
    z.object({
      bytes: z.number(),
      warnings: names.optional(),
      types: types.optional(),
      isJson: z.boolean().optional(),
    }),
  ]),
  /** The files and their columns, and ranges of them cut anywhere, in groups that one function scans. */
  cut: z.union([
    z.object({
      importedColumns: names,
      /** As it will be after the load, without files. */
      table: snapshotContent,
      renamed: z.array(z.object({ column: z.string(), heading: z.string() })).optional(),
      warnings: names,
      types: types.optional(),
      inBytes: z.number(),
      isCompressed: z.boolean(),
      files: z.array(
        z.object({
          address: z.object({ bucket: z.string(), key: z.string(), etag: z.string().optional() }),
          bytes: z.number(),
          source: z.string().optional(),
          start: recordPlace,
          /** Where files differ in them. */
          columns: names.optional(),
        }),
      ),
      groups: z.array(z.array(fileRange)),
      /** Of the file after the last one here. */
      refusal: refusal.optional(),
    }),
    refused,
  ]),
  /** Of each group: what its ranges say about themselves. */
  scanned: z.union([
    refused,
    z.object({ scans: z.array(z.object({ lines: z.number(), plain: passed, open: passed })) }),
  ]),
  /** The ranges with what comes before each, in groups that one function stages. */
  folded: z.union([
    refused,
    z.object({
      groups: z.array(z.array(fileRange.extend({ state: cutState, line: z.number(), records: z.number() }))),
    }),
  ]),
  /** Of each group: its Parquet files, and where the records of each range lie. */
  staged: z.union([refused, z.object({ files: tableFiles, spans: z.array(span.nullable()) })]),
  /** That a fork of the table is written for an engine, and its run when it has been started. */
  merge: z.object({ runId: z.string().optional() }),
}

export type LoadDocument<Name extends keyof typeof documents> = z.infer<(typeof documents)[Name]>

/** The documents of loads, in the bucket of tables. */
export const createLoadDocuments = (s3: S3Client, tablesBucket: string) =>
  createDocuments(documents, {
    s3,
    bucket: tablesBucket,
    folderOf: (place: LoadPlace) => `${loadPrefix(place)}load`,
  })

export type LoadDocuments = ReturnType<typeof createLoadDocuments>
