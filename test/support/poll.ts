import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough that looking does not slow down what is looked at. */
const PAUSE_MS = 50

/** For a look that takes the service as much work as what is looked at: rows of a table. */
export const SELDOM = { pauseMs: 250 }

/** Looks again and again, until what it sees will do; resolves to that. */
export const poll = async <Seen>(
  look: () => Promise<Seen>,
  isEnough: (seen: NoInfer<Seen>) => boolean,
  { pauseMs = PAUSE_MS } = {},
): Promise<Seen> => {
  for (;;) {
    const seen = await look()
    if (isEnough(seen)) return seen
    await sleep(pauseMs)
  }
}

/** Whether a job of the storage API has ended. */
export const hasEnded = ({ status }: { status: string }): boolean =>
  status !== 'waiting' && status !== 'processing'
