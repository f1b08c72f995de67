import * as z from 'zod/mini'

/** How far the import of one object version has come: nothing, a file prepared, its upload begun, its bytes there, a job accepted. */
export const progressItem = z.object({
  /** Counts the writes of this record. */
  revision: z._default(z.int(), 0),
  /** Grows when the version is imported again, so that its idempotency key is a new one. */
  attempt: z._default(z.int(), 1),
  /** That of the key when this attempt began. */
  round: z._default(z.int(), 0),
  fileId: z.optional(z.int()),
  /** Of an object whose move takes several functions. */
  uploadId: z.optional(z.string()),
  isUploaded: z._default(z.boolean(), false),
  jobId: z.optional(z.int()),
  /** The job creates the table, and fails when another job was first. */
  isCreating: z._default(z.boolean(), false),
  /** How the version was loaded. */
  isIncremental: z.optional(z.boolean()),
  /** The execution of this version has reported that its job failed: whoever asks after that asks for another attempt. */
  isFailureReported: z._default(z.boolean(), false),
  /** A newer version that replaces the table was loaded before this one came. */
  isSuperseded: z._default(z.boolean(), false),
  supersededBy: z.optional(z.string()),
  /** Could not be moved: newer versions do not wait for it. */
  isSkipped: z._default(z.boolean(), false),
  /** Newer versions that were loaded again after this one, which came late. */
  reloadedVersions: z._default(z.int(), 0),
  /** Those of them that could not be. */
  failedReloads: z._default(z.array(z.string()), []),
  /** This attempt loads again what an older version, which came late, was put on top of. */
  isReload: z._default(z.boolean(), false),
})

export type Progress = z.infer<typeof progressItem>

/** The same version once more, from the beginning. */
export const nextAttempt = ({ attempt, revision }: Progress, round: number): Progress =>
  progressItem.parse({ attempt: attempt + 1, revision, round })
