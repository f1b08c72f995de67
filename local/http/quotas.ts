/** Calls that one account may make in a region: so many at once, and so many a second on average. */
interface Quota {
  readonly atOnce: number
  readonly perSecond: number
}

/**
 * Of calls that ask what becomes of work, or begin it, in the smaller regions (Step Functions Developer Guide, "Quotas related
 * to API action throttling"; IAM User Guide, "IAM and AWS STS quotas"). Whoever asks more often in an account is refused, and so are other people's machines there: docs/limits.md#calls-that-an-account-may-make.
 */
const quotas: Readonly<Record<string, Quota>> = {
  'states:StartExecution': { atOnce: 800, perSecond: 150 },
  'states:DescribeExecution': { atOnce: 250, perSecond: 10 },
  'states:ListExecutions': { atOnce: 100, perSecond: 2 },
  'states:GetExecutionHistory': { atOnce: 400, perSecond: 20 },
  'states:StopExecution': { atOnce: 500, perSecond: 25 },
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
