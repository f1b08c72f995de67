import { z } from 'zod'
import { NONE } from '../functions/lib/none.ts'
import { fromText } from './deployment-config.ts'
import { functionNames, PARTS_AT_ONCE } from './system.ts'

const MiB = 1024 ** 2
const GiB = 1024 ** 3

const bytes = z.coerce.number().int().min(1)

/** How much one function does, and how many of them at a time. */
export const workSizes = z.preprocess(
  fromText,
  z
    .strictObject({
      /** Stored bytes of a load up to which one function does it by itself. */
      singleLoadBytes: bytes.default(2 * GiB),
      /** Bytes of a larger load that one function stages. */
      loadRangeBytes: bytes.default(256 * MiB),
      /** Staged bytes that one function merges into a table by its primary key; a fourth of them is sorted for an export. */
      singleMergeBytes: bytes.default(2 * GiB),
      /** Bytes of a table that one function exports by itself. */
      singleExportBytes: bytes.default(2 * GiB),
      /** Bytes of the table in each part of a larger export. */
      exportPartBytes: bytes.default(256 * MiB),
      /** How many functions do parts of one load or export at a time. A Map runs 40 at most. */
      partsAtOnce: z.coerce.number().int().min(1).max(40).default(PARTS_AT_ONCE),
      /** Seconds after which a leg of an extraction stops at the next page; a function runs for fifteen minutes at most. */
      legSeconds: z.coerce.number().int().min(1).max(660).default(600),
      /**
       * Invocations at a time that are kept for a function, and the most that it gets, by its name. Default: what others leave.
       * Lambda itself refuses more than the account has.
       */
      concurrency: z.partialRecord(z.enum(functionNames), z.int().min(1)).default({}),
    })
    .prefault({}),
)

export type WorkSizes = z.infer<typeof workSizes>

/** What each function that accepts a load needs to know. Undefined: the storage service is elsewhere. */
export const loadLimits = (sizes: WorkSizes | undefined) => ({
  SINGLE_LOAD_BYTES: String(sizes?.singleLoadBytes ?? NONE),
})
