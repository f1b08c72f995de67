import type { ImportRecords } from './import-records.ts'
import type { KeyState } from './key-state.ts'

/** The state of a key whose lease we hold. A change is kept in memory until it is saved. */
export interface HeldKey {
  readonly state: KeyState
  change(changes: Partial<KeyState>): void
  /** Throws `TransientError` when the lease is another's by now. */
  save(): Promise<void>
  /** Saves the state and gives the lease back. */
  release(): Promise<void>
}

export const holdKey = (
  records: ImportRecords,
  keyId: string,
  { owner, state }: { owner: string; state: KeyState },
): HeldKey => {
  let current = state
  return {
    get state() {
      return current
    },
    change: changes => {
      current = { ...current, ...changes }
    },
    save: () => records.saveState(keyId, owner, current),
    release: () => records.releaseLease(keyId, owner, current),
  }
}
