import type { MachineServices } from './services.ts'

const LOOK_MS = 5_000

/** Does a piece of work, and tells it when its execution was stopped meanwhile. */
export const untilStopped = async <Result>(
  execution: string,
  { isRunning, log }: Pick<MachineServices, 'isRunning' | 'log'>,
  work: (stopped: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const stop = new AbortController()
  const look = async (): Promise<void> => {
    if (!(await isRunning(execution))) stop.abort()
  }
  const timer = setInterval(
    () =>
      void look().catch(error => log.warn('execution not looked at', { execution, error: String(error) })),
    LOOK_MS,
  )
  try {
    return await work(stop.signal)
  } finally {
    clearInterval(timer)
  }
}
