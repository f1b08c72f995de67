import type { Shell } from './shell.ts'

/** Somebody pressed Ctrl-C. The message says what goes on without this process, or how to go on. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The work, until somebody presses Ctrl-C: then it rejects with `Interrupted` and this sentence. */
export const unlessInterrupted = async <Result>(
  work: Promise<Result>,
  sentence: string,
  { onInterrupt }: Pick<Shell, 'onInterrupt'>,
): Promise<Result> => {
  const over = new AbortController()
  const interrupted = onInterrupt(over.signal)
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new Interrupted(sentence))
    if (interrupted.aborted) stop()
    interrupted.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    over.abort()
  }
}
