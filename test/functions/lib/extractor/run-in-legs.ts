import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { type Answer, startApi } from './api-server.ts'
import { configuration, readTables, type Settings } from './run-extraction.ts'

interface Whole {
  tables: Record<string, string>
  requests: string[]
  state: unknown
  jobs: unknown
  warnings: string[]
  legs: number
  checkpoints: string[]
  /** Names in the spool after the last leg. */
  left: string[]
}

/** Runs to the end, stopping after so many pages in each leg. The checkpoint goes through JSON, as in a store. */
export const runInLegs = async (answer: Answer, settings: Settings, pagesPerLeg: number): Promise<Whole> => {
  const server = await startApi(answer)
  const folder = mkdtempSync(join(tmpdir(), 'legs-'))
  const [outDir, spoolDir] = [join(folder, 'out'), join(folder, 'spool')]
  const checkpoints: string[] = []
  try {
    let result: ExtractResult | undefined
    let legs = 0
    while (result?.finished !== true) {
      legs++
      const stop = new AbortController()
      const leg: Partial<ExtractOptions> =
        checkpoints.length === 0 ? {} : { checkpoint: JSON.parse(checkpoints.at(-1) ?? '') }
      let pages = 0
      result = await extract({
        config: configuration(server.origin, settings),
        outDir,
        spoolDir,
        now: () => 1_700_000_000,
        signal: stop.signal,
        onProgress: () => {
          if (++pages >= pagesPerLeg) stop.abort()
        },
        ...leg,
        ...settings.options,
      })
      if (!result.finished) checkpoints.push(JSON.stringify(result.checkpoint))
      if (legs > 500) throw new Error('The legs do not end')
    }
    return {
      tables: readTables(outDir),
      requests: server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`).sort(),
      state: result.state,
      jobs: result.summary.jobs,
      warnings: result.warnings,
      legs,
      checkpoints,
      left: existsSync(spoolDir) ? readdirSync(spoolDir) : [],
    }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
