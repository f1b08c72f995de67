import * as z from 'zod'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'

/** Keys of one table that are kept from run to run. A larger table is an error. */
export const MAX_KEYS = 2_000_000

/** The keys of rows that the table has and that are not marked. */
const keySet = z.object({
  /** Key columns of the table. */
  columns: z.array(z.string()),
  /** Columns that the run adds to each row. */
  given: z.array(z.string()),
  /** Values of the key columns as in cells. */
  keys: z.array(z.array(z.string())),
})

export type KeySet = z.output<typeof keySet>

/** Where key sets are kept. The state holds what `write` gave, and `read` takes it. */
export interface KeySets {
  /** `undefined` when there is none, or none any more. */
  read(kept: Json): Promise<unknown>
  /** Must leave the set that the state names as it is: the run may still fail. */
  write(keys: KeySet): Promise<Json>
}

/** In the state itself. */
export const keySetsInState: KeySets = {
  read: async kept => kept,
  write: async keys => keys,
}

export const readKeySet = async (keySets: KeySets, kept: Json): Promise<KeySet | undefined> => {
  const read = keySet.safeParse(await keySets.read(kept))
  return read.success ? read.data : undefined
}

export const tooManyKeys = (dataType: string, maxKeys: number): UserError =>
  new UserError(
    'extractor.deletions.tooManyKeys',
    `Job '${dataType}' has more than ${maxKeys.toLocaleString('en-US')} rows: so many keys are not kept for "deletions".`,
  )
