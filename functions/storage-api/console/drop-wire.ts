import { z } from 'zod'

/** What scripts and the service tell each other of a file that is dropped. */
export const uploadRequest = z.object({
  name: z.string().min(1).max(500),
  bytes: z.int().nonnegative(),
})

/** Where a browser sends a file. */
export interface BrowserUpload {
  fileId: number
  url: string
}

export const loadRequest = z.object({
  fileId: z.int(),
  tableId: z.string().min(1),
  /** Columns with commas between; none: that of the table. */
  primaryKey: z.string(),
  delimiter: z.string().min(1),
  incremental: z.boolean(),
  /** Given: a table that is not there yet gets the types that all values of the file have. */
  types: z.literal('detect').optional(),
})

export type LoadSettings = Omit<z.input<typeof loadRequest>, 'fileId'>

/** The job that loads it. */
export interface LoadStarted {
  jobId: number
}
