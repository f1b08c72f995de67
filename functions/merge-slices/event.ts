import { z } from 'zod'
import { WORK_PREFIX } from './work-prefix.ts'

const destination = z.strictObject({
  bucket: z.string().min(3).max(63),
  /** S3 User Guide, "Object key naming": up to 1,024 bytes. */
  key: z
    .string()
    .min(1)
    .refine(key => Buffer.byteLength(key) <= 1024, 'longer than 1,024 bytes')
    .refine(key => !key.startsWith(WORK_PREFIX), `keys below ${WORK_PREFIX} are removed after some days`),
  /** Default: `text/csv` or `application/gzip`, by the content. */
  contentType: z.string().min(1).optional(),
  /** Default: an attachment named like the last part of the key. */
  contentDisposition: z.string().min(1).optional(),
  /** `false`: fail if an object already exists under the key. Default true. */
  overwrite: z.boolean().default(true),
})

/** A table. It is exported first. */
const tableExport = z.strictObject({
  tableId: z.string().min(1),
  destination,
  gzip: z.boolean().default(false),
  /** One line with the column names, quoted like the data. */
  header: z.boolean().default(true),
  /** Default: all columns of the table. */
  columns: z.array(z.string().min(1)).min(1).optional(),
})

/** An existing file, sliced or not. It is compressed as the file is. */
const fileExport = z.strictObject({
  fileId: z.coerce.number().int().positive(),
  destination,
  /** Slices hold no header. When given, these names become one. */
  columns: z.array(z.string().min(1)).min(1).optional(),
})

/** Input of the export machine (docs/architecture.md). */
export const exportInput = z.union([tableExport, fileExport], {
  error: 'neither {tableId, destination} nor {fileId, destination} with their options',
})
export type ExportInput = z.infer<typeof exportInput>

/** Parts with the numbers `from` to `to`, both included. */
export const numberRange = z.object({ from: z.number().int().positive(), to: z.number().int().positive() })
export type NumberRange = z.infer<typeof numberRange>

/** What the step before has begun: the job that exports the table, or the parts that were planned of a file. */
export const stepBefore = z.nullable(z.object({ begun: z.enum(['job', 'copy']) }))
