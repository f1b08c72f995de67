import type { Item } from '../db/item-table.ts'

/**
 * How a branch's own item came to be: as a copy of the default branch's, or by itself. `deleted`: the branch has deleted
 * what was there, and sees nothing under the key.
 */
export type OwnState = 'copied' | 'created' | 'deleted'

interface Candidates {
  /** The branch's own item. */
  own: Item | undefined
  /** The default branch's item under the same key. */
  shared: Item | undefined
  /** The state of the branch's own item of the bucket that the key lies in; `undefined` also for a bucket itself. */
  bucket?: OwnState | undefined
}

export const stateOf = (own: Item | undefined): OwnState | undefined => {
  const state = own?.['branchState']
  return state === 'copied' || state === 'created' || state === 'deleted' ? state : undefined
}

/**
 * What a branch sees under a key: its own item, or else the default branch's. Nothing of a bucket that the branch has
 * deleted; and of one that it made itself, only what is its own.
 */
export const seenItem = ({ own, shared, bucket }: Candidates): Item | undefined => {
  if (bucket === 'deleted') return undefined
  if (own) return stateOf(own) === 'deleted' ? undefined : own
  return bucket === 'created' ? undefined : shared
}
