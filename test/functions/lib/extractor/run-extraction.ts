import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogRecord } from '#lib/extractor/requests/masking/masker.ts'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { type Answer, type ApiRequest, startApi } from './api-server.ts'

export interface Extraction {
  /** The result, or what was thrown. */
  result: ExtractResult | undefined
  error: Error | undefined
  /** CSV text by table name. */
  tables: Record<string, string>
  requests: ApiRequest[]
  logs: LogRecord[]
}

export interface Settings {
  api?: Record<string, unknown>
  config?: Record<string, unknown>
  parameters?: Record<string, unknown>
  root?: Record<string, unknown>
  options?: Partial<ExtractOptions>
}

/** Runs one extraction against a server that answers as given. */
export const runExtraction = async (answer: Answer, settings: Settings): Promise<Extraction> => {
  const server = await startApi(answer)
  try {
    return { ...(await extractFrom(server.origin, settings)), requests: server.requests }
  } finally {
    await server.close()
  }
}

export const extractFrom = async (
  origin: string,
  settings: Settings,
): Promise<Omit<Extraction, 'requests'>> => {
  const folder = mkdtempSync(join(tmpdir(), 'extraction-'))
  const logs: LogRecord[] = []
  const outDir = join(folder, 'out')
  let result: ExtractResult | undefined
  let error: Error | undefined
  try {
    result = await extract({
      config: configuration(origin, settings),
      outDir,
      spoolDir: join(folder, 'spool'),
      log: record => logs.push(record),
      ...settings.options,
    })
  } catch (thrown) {
    error = thrown as Error // only Errors are thrown
  }
  const tables = result?.finished === true ? readTables(settings.options?.outDir ?? outDir) : {}
  rmSync(folder, { recursive: true, force: true })
  return { result, error, tables, logs }
}

export const configuration = (
  origin: string,
  { api, config, parameters, root }: Settings,
): Record<string, unknown> => ({
  ...root,
  parameters: {
    api: { baseUrl: `${origin}/`, ...api },
    config: { jobs: [{ endpoint: 'items' }], ...config },
    ...parameters,
  },
})

export const readTables = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter(file => !file.endsWith('.manifest'))
      .map(file => [file, readFileSync(join(folder, file), 'utf8')]),
  )

/** Rows without the header. */
export const rowCount = (csv: string | undefined): number =>
  csv === undefined ? 0 : csv.trimEnd().split('\n').length - 1
