import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '#lib/errors/errors.ts'
import { isMissing } from '#lib/paths/is-missing.ts'
import { type ExtractOptions, type ExtractResult, extract, type KeptWindows } from '../extract.ts'
import { compareTables } from './compare-tables.ts'
import { createRecorder, type RecorderOptions } from './recorder.ts'
import { type RecordedRun, recordingFiles } from './recording.ts'
import { play } from './replay-extraction.ts'
import { withoutSecretsOf } from './without-secrets.ts'

interface RecordOptions extends Pick<RecorderOptions, 'limitBytes'> {
  /** Takes what keeps the run from being recorded. Default: the run fails with it. */
  onFailure?: (error: unknown) => void
}

interface Recorded {
  /** What was thrown, or the result. */
  end: { result: ExtractResult } | { error: UserError }
  exchanges: number
  /** Whether the folder holds a recording: not so after a leg that is not the last one, or when there was too much to record. */
  isWhole: boolean
  /** Answers that secrets were taken out of. */
  maskedBodies: number
  /** Why the recording does not repeat this run exactly; none when it does. */
  differences: string[]
}

/**
 * Runs an extraction and keeps its exchanges, configuration, state and tables in `folder`, without secrets. A run that fails with a
 * `UserError` is a recording too.
 *
 * The recording is played at once: its tables are those of that second run, so that nothing of a secret gets into them, and what cannot
 * be repeated is known now.
 *
 * @param options `spoolDir` gets a second folder, with `-replay` at its end
 * @throws UserError `extractor.recording.exists` when the folder holds something; other errors leave a recording without `run.json`
 */
export const recordExtraction = async (
  folder: string,
  options: ExtractOptions,
  given: RecordOptions = {},
): Promise<Recorded> => {
  const isResumed = options.checkpoint !== undefined
  const begun = isResumed ? await readBegun(folder) : undefined
  if (isResumed && begun === undefined) return withoutRecording(options)
  const recorder = await createRecorder(folder, { ...given, isResumed })
  const clock = options.now ?? (() => Date.now() / 1000)
  let startedAt = begun
  const now = (): number => {
    const time = clock()
    startedAt ??= time // the first look at the clock is the start that the state keeps
    return time
  }
  let hasKept = false
  const keepWindows = async (part: KeptWindows): Promise<void> => {
    hasKept = true
    await options.keepWindows?.(part)
  }
  const end = await extract({
    ...options,
    now,
    cassette: recorder,
    ...(options.keepWindows && { keepWindows }),
  }).then(
    result => ({ result }),
    error => ({ error }),
  )
  const { isOver, ...written } = await recorder.finish()
  if ('error' in end && !(end.error instanceof UserError)) throw end.error
  if (isOver) {
    await rm(folder, { recursive: true })
    return { end, ...written, differences: [], isWhole: false }
  }
  if ('result' in end && !end.result.finished) {
    await writeFile(join(folder, recordingFiles.begun), JSON.stringify(startedAt))
    return { end, ...written, differences: [], isWhole: false }
  }

  const { state } = options
  const run: Omit<RecordedRun, 'outcome'> = {
    version: 1,
    startedAt: startedAt ?? clock(),
    ...withoutSecretsOf({ config: options.config, ...(state !== undefined && { state }) }),
    ...(options.compat === undefined ? {} : { compat: options.compat }),
  }
  const tables = join(folder, recordingFiles.tables)
  await mkdir(tables, { recursive: true })
  const replayed = await play(folder, run, {
    ...forReplay(options),
    outDir: tables,
    spoolDir: `${options.spoolDir}-replay`,
    keepsWindows: options.keepWindows !== undefined,
  }).catch((error: unknown) => {
    if (given.onFailure === undefined) throw error
    given.onFailure(error)
  })
  if (replayed === undefined) return { end, ...written, differences: [], isWhole: false }
  const outcome =
    replayed.error === undefined
      ? { state: replayed.result?.state }
      : {
          error: { code: replayed.error.code, message: replayed.error.message },
          ...(options.keepWindows && {
            kept: replayed.kept === undefined ? null : { state: replayed.kept.state },
          }),
        }
  await writeFile(join(folder, recordingFiles.run), JSON.stringify({ ...run, outcome }, undefined, 2))
  await rm(join(folder, recordingFiles.begun), { force: true })

  const differences = [...replayed.differences]
  const failed = 'error' in end
  if (failed !== (replayed.error !== undefined))
    differences.push(replayed.error?.message ?? 'The replay succeeds.')
  else if (hasKept !== (replayed.kept !== undefined))
    differences.push(`The ${hasKept ? 'run' : 'replay'} alone keeps windows from before it failed.`)
  else if (!failed || hasKept) {
    const inTables = await compareTables(tables, options.outDir)
    differences.push(...inTables.map(({ sentence }) => sentence))
  }
  return { end, ...written, differences, isWhole: true }
}

/** The whole run at once, whatever its legs were, and nothing that it reports, shares or keeps elsewhere. */
const forReplay = ({
  log: _,
  onProgress: __,
  keepState: ___,
  checkpoint: ____,
  deadline: _____,
  budgets: ______,
  keepWindows: _______,
  ...others
}: ExtractOptions) => others

const readBegun = async (folder: string): Promise<number | undefined> => {
  const text = await readFile(join(folder, recordingFiles.begun), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return text === undefined ? undefined : z.number().parse(JSON.parse(text))
}

/** An earlier leg gave its recording up. */
const withoutRecording = async (options: ExtractOptions): Promise<Recorded> => {
  const end = await extract(options).then(
    result => ({ result }),
    error => ({ error }),
  )
  if ('error' in end && !(end.error instanceof UserError)) throw end.error
  return { end, exchanges: 0, maskedBodies: 0, differences: [], isWhole: false }
}
