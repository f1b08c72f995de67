/** What a lease's record says. Stores may keep more beside the owner. */
export interface Lease {
  owner: string | number
}

/** Where one lease is kept, and what stands under its protection. Each change is one conditional write. */
export interface LeaseStore<Held extends Lease, Content = unknown> {
  /** The lease as it is held, or `undefined` when nobody holds it. */
  holder(): Promise<Held | undefined>
  /**
   * Writes the lease if nobody holds it, if it is this owner's already, or if it is still `deadOwner`'s. Resolves to what it
   * protects, or to `undefined` when somebody else holds it.
   */
  take(lease: Held, deadOwner: Held['owner'] | undefined): Promise<{ content: Content } | undefined>
  /** Idempotent; does nothing when the lease is another's. */
  release(owner: Held['owner']): Promise<void>
}

export type LeaseResult<Held extends Lease, Content> =
  /** `deadOwner`: the owner whose work had ended without a release. */
  { outcome: 'taken'; content: Content; deadOwner?: Held['owner'] } | { outcome: 'held'; by: Held }

/** Each further attempt means that somebody else took or released the lease in the same moment. */
const MAX_ATTEMPTS = 20

/**
 * Takes a lease, or says who holds it. An owner that takes its lease again has it still.
 *
 * A lease expires when the work of its owner has ended (`hasExpired`), not at a time: work that takes long renews nothing,
 * and work that was stopped blocks nobody. A function of a stopped owner may still be at work, so whoever writes under a
 * lease writes on the condition that the lease is still its own.
 */
export const takeLease = async <Held extends Lease, Content>(
  store: LeaseStore<Held, Content>,
  lease: Held,
  hasExpired: (owner: Held['owner']) => Promise<boolean>,
): Promise<LeaseResult<Held, Content>> => {
  let deadOwner: Held['owner'] | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const taken = await store.take(lease, deadOwner)
    if (taken)
      return { outcome: 'taken', content: taken.content, ...(deadOwner !== undefined && { deadOwner }) }
    const by = await store.holder()
    if (by === undefined || by.owner === lease.owner || by.owner === deadOwner) continue
    if (!(await hasExpired(by.owner))) return { outcome: 'held', by }
    deadOwner = by.owner
  }
  throw new Error(`The lease changed its owner ${MAX_ATTEMPTS} times while ${lease.owner} tried to take it`)
}
