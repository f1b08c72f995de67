import { vi } from 'vitest'

/** Checks again and again until it holds. The limit only ends what hangs: a busy machine takes its time. */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 300_000, interval: 10 })
