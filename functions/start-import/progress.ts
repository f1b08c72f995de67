import { z } from 'zod'

/** How far the import of one object version has come: nothing, a file prepared, its upload begun, its bytes there, a job accepted. */
export const progressItem = z.object({
  /** Counts the writes of this record; none in those of version 0.1. */
  revision: z.number().int().default(0),
  /** Grows when the version is imported again, so that its idempotency key is a new one. */
  attempt: z.number().int().default(1),
  /** That of the key when this attempt began. */
  round: z.number().int().default(0),
  fileId: z.number().int().optional(),
  /** Of an object whose move takes several functions. */
  uploadId: z.string().optional(),
  isUploaded: z.boolean().default(false),
  jobId: z.number().int().optional(),
  /** The job creates the table, and fails when another job was first. */
  isCreating: z.boolean().default(false),
  /** How the version was loaded. */
  isIncremental: z.boolean().optional(),
  /** The execution of this version has reported that its job failed: whoever asks after that asks for another attempt. */
  isFailureReported: z.boolean().default(false),
  /** A newer version that replaces the table was loaded before this one came. */
  isSuperseded: z.boolean().default(false),
  supersededBy: z.string().optional(),
  /** Could not be moved: newer versions do not wait for it. */
  isSkipped: z.boolean().default(false),
  /** Newer versions that were loaded again after this one, which came late. */
  reloadedVersions: z.number().int().default(0),
  /** Those of them that could not be. */
  failedReloads: z.array(z.string()).default([]),
  /** This attempt loads again what an older version, which came late, was put on top of. */
  isReload: z.boolean().default(false),
})

export type Progress = z.infer<typeof progressItem>

/** The same version once more, from the beginning. */
export const nextAttempt = ({ attempt, revision }: Progress, round: number): Progress =>
  progressItem.parse({ attempt: attempt + 1, revision, round })
