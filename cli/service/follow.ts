import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 1_000

/**
 * Shows what is there, oldest first, then what is new or has changed, until it is interrupted.
 *
 * `read` gives the newest entries, newest first; an entry is shown again when its `mark` differs from the last one.
 */
export const follow = async <Entry>(
  read: () => Promise<readonly Entry[]>,
  {
    idOf,
    markOf,
    show,
    interrupted,
  }: {
    idOf: (entry: Entry) => string
    markOf: (entry: Entry) => string
    show: (entry: Entry) => void
    interrupted: AbortSignal
  },
): Promise<number> => {
  const shown = new Map<string, string>()
  while (!interrupted.aborted) {
    for (const entry of [...(await read())].reverse()) {
      if (shown.get(idOf(entry)) === markOf(entry)) continue
      shown.set(idOf(entry), markOf(entry))
      show(entry)
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => {})
  }
  return 0
}
