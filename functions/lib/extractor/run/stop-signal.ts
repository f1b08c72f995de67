/** Thrown into waits for a retry when the extraction is to stop: the request was not answered and is still to be sent. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

interface StopOptions {
  signal?: AbortSignal | undefined
  /** Milliseconds since 1970 by the system's clock. */
  deadline?: number | undefined
}

const longestTimer = 2 ** 31 - 1 // milliseconds that a Node timer can hold

/** Shorter waits are not worth a leg of their own. */
const SHORT_WAIT_MS = 30_000
/** For so long nothing was sent or read: all that is under way waits. */
const QUIET_MS = 1_000

/** Whether the extraction is to stop at the next page boundary, from a signal, a deadline or both. */
export const createStopSignal = ({ signal, deadline }: StopOptions) => {
  const asked = Promise.withResolvers<void>()
  let requested = false
  let hasProgressed = false
  const request = (): void => {
    requested = true
    asked.resolve()
  }
  if (signal?.aborted === true) request()
  signal?.addEventListener('abort', request, { once: true })
  const left = deadline === undefined ? undefined : Math.max(0, deadline - Date.now())
  const timer = left === undefined || left > longestTimer ? undefined : setTimeout(request, left)
  if (left === 0) request()

  const ends = new Set<{ at: number }>()
  let sending = 0
  let activeAt = Date.now()
  let resumeAt = 0
  const stopIfQuiet = (): void => {
    const first = Math.min(...[...ends].map(({ at }) => at))
    if (requested || sending > 0 || Date.now() - activeAt < QUIET_MS) return
    if (first - Date.now() >= SHORT_WAIT_MS) stopUntil(first)
  }
  const stopUntil = (at: number): void => {
    if (requested) return
    resumeAt = at
    request()
  }

  /**
   * Waits. Rejects with `Stopped` after a stop, or with the error that ended the extraction. With a deadline, an extraction that does
   * nothing but wait stops: whoever resumes it after `resumeInSeconds` waits elsewhere, and keeps nobody from working here.
   *
   * @param isOfAll all requests wait for it: when the deadline comes first, the extraction stops at once
   */
  const wait = async (seconds: number, aborted: AbortSignal, isOfAll = false): Promise<void> => {
    const end = { at: Date.now() + seconds * 1000 }
    if (isOfAll && deadline !== undefined && end.at > deadline) stopUntil(end.at)
    if (requested) throw new Stopped('stopped')
    const done = Promise.withResolvers<void>()
    let pause: NodeJS.Timeout | undefined
    const tick = (): void => {
      const rest = end.at - Date.now()
      if (rest <= 0) {
        done.resolve()
        return
      }
      if (deadline !== undefined) stopIfQuiet()
      pause = setTimeout(tick, Math.min(rest, deadline === undefined ? longestTimer : QUIET_MS))
    }
    ends.add(end)
    const abort = (): void => done.reject(aborted.reason)
    aborted.addEventListener('abort', abort, { once: true })
    tick()
    try {
      await Promise.race([done.promise, asked.promise])
      if (requested) throw new Stopped('stopped')
    } finally {
      ends.delete(end)
      clearTimeout(pause)
      aborted.removeEventListener('abort', abort)
    }
  }

  return {
    /** After how many seconds there is something to do again; 0 when nothing was waited for. */
    get resumeInSeconds(): number {
      return Math.max(0, Math.ceil((resumeAt - Date.now()) / 1000))
    },
    /** A deadline counts once there was progress: else a leg that begins too late is followed by others like it. */
    get requested(): boolean {
      return signal?.aborted === true || (hasProgressed && requested) || this.isLate
    },
    /** The deadline is over, and there was progress. */
    get isLate(): boolean {
      return hasProgressed && deadline !== undefined && Date.now() >= deadline
    },
    /** A request was begun, or a part of a large answer was read. */
    progressed: (): void => {
      hasProgressed = true
      activeAt = Date.now()
    },
    /** A request is sent. Returns what is to be called when it has come back. */
    sends: (): (() => void) => {
      sending++
      return () => {
        sending--
        activeAt = Date.now()
      }
    },
    signal: asked.promise,
    wait,
    dispose: (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', request)
    },
  }
}
