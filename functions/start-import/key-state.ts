import { z } from 'zod'

/** A version of a key, and when S3 stored it (ISO 8601). */
const versionMark = z.object({ versionId: z.string(), modified: z.string() })

export type VersionMark = z.infer<typeof versionMark>

/** How far the imports of one key have come. Written only by the holder of the key's lease. */
export const keyState = z.object({
  /** This version and all before it, in S3's order, are done. Their own records may have expired. */
  through: versionMark.optional(),
  /** Grows when versions are to be loaded again; one that was loaded in an earlier round is loaded once more. */
  round: z.number().int().default(0),
  /** A version that is being loaded after newer ones: these are loaded again after it. */
  late: versionMark.optional(),
  /** The versions after `of`, up to `to`, are being loaded again; `failed`: those that could not be. */
  replay: z.object({ of: z.string(), to: versionMark, failed: z.array(z.string()) }).optional(),
  /** The version, other than its own, whose parts the holder moves. */
  moving: z.string().optional(),
  /** The content that was imported last, of a bucket that keeps no versions. */
  content: z.string().optional(),
  /** All that version 0.1 kept: the sequencer of the newest version whose import was started. */
  lastSequencer: z.string().optional(),
})

export type KeyState = z.infer<typeof keyState>
