import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '#lib/errors/errors.ts'
import { isMissing } from '#lib/paths/is-missing.ts'

/** Files of a recording (docs/extractor.md#record-and-replay). `run.json` is written last: without it the recording is not whole. */
export const recordingFiles = {
  exchanges: 'exchanges.jsonl',
  bodies: 'bodies',
  run: 'run.json',
  /** When the run began, while its last leg is still to come. */
  begun: 'begun.json',
  tables: 'tables',
} as const

const exchangeSchema = z.strictObject({
  /** From 1, in the order of sending; names the file of the body. */
  number: z.int().positive(),
  /** Seconds since 1970 by the clock of the run, when it was sent. */
  at: z.number(),
  request: z.strictObject({
    method: z.string(),
    url: z.string(),
    body: z.string().optional(),
    /** Names of headers. Their values are not kept. */
    headers: z.array(z.string()),
  }),
  outcome: z.union([
    z.strictObject({
      status: z.int(),
      headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
      isMasked: z.boolean(),
    }),
    z.strictObject({ curlCode: z.int(), message: z.string() }),
  ]),
})

export type RecordedExchange = z.infer<typeof exchangeSchema>

const runSchema = z.strictObject({
  version: z.literal(1),
  /** Seconds since 1970. */
  startedAt: z.number(),
  /** As the command's option; absent: as the configuration says. */
  compat: z.boolean().optional(),
  /** Whether tables could wait for approval. */
  /** `config.json` and `in/state.json` without secrets. */
  config: z.unknown(),
  state: z.unknown().optional(),
  outcome: z.union([
    z.strictObject({ state: z.unknown() }),
    z.strictObject({
      error: z.strictObject({ code: z.string(), message: z.string() }),
      /** What it kept of windows before it failed, beside its tables; `null`: nothing. Absent: nobody was there to keep it. */
      kept: z.strictObject({ state: z.unknown() }).nullable().optional(),
    }),
  ]),
})

export type RecordedRun = z.infer<typeof runSchema>

/** @throws UserError `extractor.recording.invalid` for a folder that holds no whole recording */
export const readRun = async (folder: string): Promise<RecordedRun> => {
  const found = runSchema.safeParse(parse(await read(folder, recordingFiles.run), folder, recordingFiles.run))
  if (found.success) return found.data
  throw invalid(folder, `${recordingFiles.run} is none of a recording`)
}

/** @throws UserError `extractor.recording.invalid` */
export const readExchanges = async (folder: string): Promise<RecordedExchange[]> => {
  const lines = (await read(folder, recordingFiles.exchanges)).split('\n').filter(line => line !== '')
  return lines.map(line => {
    const found = exchangeSchema.safeParse(parse(line, folder, recordingFiles.exchanges))
    if (found.success) return found.data
    throw invalid(folder, `a line of ${recordingFiles.exchanges} is none of a recording`)
  })
}

export const bodyFile = (folder: string, number: number): string =>
  join(folder, recordingFiles.bodies, `${number}`)

const read = async (folder: string, name: string): Promise<string> => {
  try {
    return await readFile(join(folder, name), 'utf8')
  } catch (error) {
    if (isMissing(error)) throw invalid(folder, `${name} is missing, so the run was not recorded to its end`)
    throw error
  }
}

const parse = (text: string, folder: string, name: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(folder, `${name} is not valid JSON`)
  }
}

const invalid = (folder: string, problem: string): UserError =>
  new UserError('extractor.recording.invalid', `"${folder}" is not a recording: ${problem}.`)
