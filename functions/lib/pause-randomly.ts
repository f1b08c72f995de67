import { setTimeout as sleep } from 'node:timers/promises'

/** How long to wait after so many failures in a row: `first`, then twice as long each time, up to `longest`. */
export const backoff = (failures: number, { first, longest }: { first: number; longest: number }): number =>
  Math.min(first * 2 ** failures, longest)

/** Waits a random part of the backoff, so that two callers who met do not meet again. */
export const pauseRandomly = async (
  failures: number,
  limits: { first: number; longest: number },
): Promise<void> => {
  await sleep(Math.random() * backoff(failures, limits))
}
