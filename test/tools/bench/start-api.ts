import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ApiShape } from './extractor-api.ts'

/** The benchmarks' API in a process of its own: its thousand pages are not in the memory of what is measured. */
export const startApi = async (shape: ApiShape): Promise<{ origin: string; stop: () => Promise<void> }> => {
  const child = fork(join(import.meta.dirname, 'extractor-api.ts'), [JSON.stringify(shape)])
  const ended = once(child, 'exit')
  const tooEarly = ended.then(() => {
    throw new Error('The API of the benchmark ended before it was ready')
  })
  const [port] = (await Promise.race([once(child, 'message'), tooEarly])) as [number] // the API's first message
  tooEarly.catch(() => undefined)
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}
