import { setTimeout as sleep } from 'node:timers/promises'
import { backoff } from './backoff.ts'

/** Waits a random part of the backoff, so that two callers who met do not meet again. */
export const pauseRandomly = async (
  failures: number,
  limits: { first: number; longest: number },
): Promise<void> => {
  await sleep(Math.random() * backoff(failures, limits))
}
