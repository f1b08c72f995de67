import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JsonObject } from '#lib/json/json-value.ts'

export const airbyteRuntime = 'airbyte-cdk==7.39.1'

/** It ends itself after 10 seconds, unless one of its threads does not. */
const LONGEST_MS = 13_000

/** Airbyte's own runtime in a process of its own. It answers one after the other. One that ends, or does not answer, is started anew. */
export const startAirbyte = (env: NodeJS.ProcessEnv) => {
  let running: ReturnType<typeof startProcess> | undefined
  return {
    /** @throws Error that says what the runtime says */
    read: async (manifest: JsonObject, config: JsonObject, stream = 's'): Promise<JsonObject[]> => {
      running ??= startProcess(env)
      const line = await running.ask(`${JSON.stringify({ manifest, config, stream })}\n`)
      if (line === undefined) {
        running.stop()
        running = undefined
        throw new Error('Airbyte’s runtime ended, or did not answer')
      }
      const { rows, error } = JSON.parse(line) as { rows?: JsonObject[]; error?: string } // read_manifest.py
      if (rows === undefined) throw new Error(error)
      return rows
    },
    stop: () => running?.stop(),
  }
}

const startProcess = (env: NodeJS.ProcessEnv) => {
  const child = spawn('python3', [join(import.meta.dirname, 'read_manifest.py')], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {}) // its end is seen where it is read
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    ask: async (line: string): Promise<string | undefined> => {
      child.stdin.write(line)
      const late = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => late.resolve(undefined), LONGEST_MS)
      const answer = await Promise.race([lines.next(), late.promise]).finally(() => clearTimeout(timer))
      return answer?.done === false ? answer.value : undefined
    },
    stop: () => child.kill('SIGKILL'),
  }
}
