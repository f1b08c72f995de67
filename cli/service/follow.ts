import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceCall } from '../connect/service-command.ts'
import { styleOf } from '../shell/output.ts'

const LOOK_EVERY_MS = 1_000

/**
 * Shows what is there, oldest first, then what is new or has another status, until it is interrupted: each entry as a line,
 * or as one of JSON.
 *
 * `read` gives the newest entries, newest first.
 */
export const follow = async <Entry>(
  read: () => Promise<readonly Entry[]>,
  show: (entry: Entry) => { id: string | number; status: string; line: string },
  { out, shell }: Pick<ServiceCall, 'out' | 'shell'>,
): Promise<number> => {
  const interrupted = shell.onInterrupt()
  const shown = new Map<string | number, string>()
  while (!interrupted.aborted) {
    for (const entry of [...(await read())].reverse()) {
      const { id, status, line } = show(entry)
      if (shown.get(id) === status) continue
      shown.set(id, status)
      if (out.isJson) out.line(JSON.stringify(entry))
      else out.line(line, styleOf(status))
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => {})
  }
  return 0
}
