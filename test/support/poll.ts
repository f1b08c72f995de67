import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough that looking does not slow down what is looked at. */
const PAUSE_MS = 50

/** Looks again and again, until what it sees will do; resolves to that. */
export const poll = async <Seen>(
  look: () => Promise<Seen>,
  isEnough: (seen: NoInfer<Seen>) => boolean,
): Promise<Seen> => {
  for (;;) {
    const seen = await look()
    if (isEnough(seen)) return seen
    await sleep(PAUSE_MS)
  }
}

/** Whether a job of the storage API has ended. */
export const hasEnded = ({ status }: { status: string }): boolean =>
  status !== 'waiting' && status !== 'processing'
