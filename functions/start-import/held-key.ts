import type { KeyLeaseStore } from './key-lease.ts'
import type { KeyState } from './key-state.ts'

/** The state of a key whose lease we hold. A change is kept in memory until it is saved. */
export interface HeldKey {
  readonly state: KeyState
  change(changes: Partial<KeyState>): void
  /** Throws `TransientError` when the lease is another's by now. */
  save(): Promise<void>
  /** Saves the state and releases the lease. */
  release(): Promise<void>
}

export const holdKey = (
  lease: KeyLeaseStore,
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
    save: () => lease.save(owner, current),
    release: () => lease.saveAndRelease(owner, current),
  }
}
