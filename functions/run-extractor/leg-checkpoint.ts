import { z } from 'zod'

/** A file of the spool, or of the inputs, as objects in the work bucket, in order. */
const spooledFile = z.object({
  /** Relative to its folder. */
  path: z.string(),
  bytes: z.number(),
  parts: z.array(z.object({ key: z.string(), bytes: z.number() })),
})

export type SpooledFile = z.infer<typeof spooledFile>

/** What a leg leaves to the next. */
export const legCheckpoint = z.object({
  /** The extractor keeps secrets of the configuration out of it; the address of a next page may be one, so all of it is sealed. */
  sealedCheckpoint: z.string(),
  files: z.array(spooledFile),
  /** The tables that the row reads: their exports may expire before the row ends. */
  inputs: z.array(spooledFile).default([]),
  pages: z.number(),
  /** When a page last came. */
  progressAt: z.string(),
})

export type LegCheckpoint = z.infer<typeof legCheckpoint>
