import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JsonObject } from '#lib/extractor/tables/json-value.ts'

export const airbyteRuntime = 'airbyte-cdk==7.39.1'

/** Airbyte's own runtime in a process of its own. It answers one after the other. */
export const startAirbyte = (env: NodeJS.ProcessEnv) => {
  const child = spawn('python3', [join(import.meta.dirname, 'read_manifest.py')], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    /** @throws Error that says what the runtime says */
    read: async (manifest: JsonObject, config: JsonObject, stream = 's'): Promise<JsonObject[]> => {
      child.stdin.write(`${JSON.stringify({ manifest, config, stream })}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('Airbyte’s runtime ended')
      const { rows, error } = JSON.parse(value) as { rows?: JsonObject[]; error?: string } // read_manifest.py
      if (rows === undefined) throw new Error(error)
      return rows
    },
    stop: () => child.kill(),
  }
}
