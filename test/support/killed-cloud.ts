import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'

export type RunningCloud = Omit<EmbeddedCloud, 'describeOutputs' | 'execute' | 'deliver' | 'close'>

const program = fileURLToPath(new URL('run-cloud.ts', import.meta.url))

/** The embedded cloud in a process that is really killed, and started again on what it has left. */
export const createKilledCloud = (dataDir: string, context: Readonly<Record<string, unknown>>) => {
  let child: ChildProcess | undefined
  const isAlive = (): boolean => child?.exitCode === null && child.signalCode === null
  return {
    isAlive,

    /** Resolves when it is ready. */
    async start(): Promise<RunningCloud> {
      const started = spawn(process.execPath, [program, dataDir, JSON.stringify(context)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child = started
      for await (const line of createInterface({ input: started.stdout })) return JSON.parse(line)
      throw new Error('The embedded cloud ended before it was ready')
    },

    /** Resolves when it is gone. */
    async kill(): Promise<void> {
      if (!child || !isAlive()) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
