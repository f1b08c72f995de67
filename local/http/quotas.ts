/** Calls that one account may make in a region: so many at once, and so many a second on average. */
interface Quota {
  readonly atOnce: number
  readonly perSecond: number
}

/**
 * IAM User Guide, "IAM and AWS STS quotas". Whoever asks more often in an account is refused: docs/limits.md#calls-that-an-account-may-make.
 */
const quotas: Readonly<Record<string, Quota>> = {
  'sts:AssumeRole': { atOnce: 600, perSecond: 600 },
}

/** Holds callers to the quotas of an account. */
export class Quotas {
  readonly #now: () => number
  readonly #left = new Map<string, { calls: number; at: number }>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @param action as IAM names it. Returns whether the account may make one more call now. */
  admits(action: string): boolean {
    const quota = quotas[action]
    if (quota === undefined) return true
    const at = this.#now()
    const before = this.#left.get(action) ?? { calls: quota.atOnce, at }
    const calls = Math.min(quota.atOnce, before.calls + ((at - before.at) / 1000) * quota.perSecond)
    const isAdmitted = calls >= 1
    this.#left.set(action, { calls: isAdmitted ? calls - 1 : calls, at })
    return isAdmitted
  }
}
