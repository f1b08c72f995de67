import * as z from 'zod/mini'

/** A version of a key, and when S3 stored it (ISO 8601). */
const versionMark = z.object({ versionId: z.string(), modified: z.string() })

export type VersionMark = z.infer<typeof versionMark>

/** How far the imports of one key have come. Written only by the holder of the key's lease. */
export const keyState = z.object({
  /** This version and all before it, in S3's order, are done. Their own records may have expired. */
  through: z.optional(versionMark),
  /** Grows when versions are to be loaded again; one that was loaded in an earlier round is loaded once more. */
  round: z._default(z.int(), 0),
  /** A version that is being loaded after newer ones: these are loaded again after it. */
  late: z.optional(versionMark),
  /** The versions after `of`, up to `to`, are being loaded again; `failed`: those that could not be. */
  replay: z.optional(z.object({ of: z.string(), to: versionMark, failed: z.array(z.string()) })),
  /** The version, other than its own, whose parts the holder moves. */
  moving: z.optional(z.string()),
  /** The content that was imported last, of a bucket that keeps no versions. */
  content: z.optional(z.string()),
})

export type KeyState = z.infer<typeof keyState>
