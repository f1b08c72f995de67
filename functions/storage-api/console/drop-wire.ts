import { z } from 'zod'

/** What scripts and the service tell each other of a file that is dropped. */
export const uploadRequest = z.object({
  name: z.string().min(1).max(500),
  bytes: z.int().nonnegative(),
})

/** Where a browser sends a file: every part to its address, then the list of their ETags to `complete`. */
export interface BrowserUpload {
  fileId: number
  /** Positions of bytes, the last one included. One part without `complete`: the whole file. */
  parts: { url: string; firstByte: number; lastByte: number }[]
  /** Of each part's request: they are signed. */
  headers: Record<string, string>
  complete?: string
}

export const loadRequest = z.object({
  fileId: z.int(),
  tableId: z.string().min(1),
  primaryKey: z.array(z.string()),
  delimiter: z.string().min(1),
  incremental: z.boolean(),
  /** Given: a table that is not there yet gets the types that all values of the file have. */
  types: z.literal('detect').optional(),
})

export type LoadSettings = Omit<z.input<typeof loadRequest>, 'fileId'>

export interface LoadStarted {
  jobId: number
  warnings: string[]
}

/** What the service says of a load. */
export interface LoadState {
  status: 'waiting' | 'processing' | 'success' | 'error'
  tableId: string
  /** How many rows there are, or are so far, or why it failed. */
  sentence?: string
  warnings?: string[]
}
