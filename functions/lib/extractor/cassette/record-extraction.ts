import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../errors/errors.ts'
import { type ExtractOptions, type ExtractResult, extract } from '../extract.ts'
import { compareTables } from './compare-tables.ts'
import { createRecorder } from './recorder.ts'
import { type RecordedRun, recordingFiles } from './recording.ts'
import { play } from './replay-extraction.ts'
import { withoutSecretsOf } from './without-secrets.ts'

interface Recorded {
  /** What was thrown, or the result. */
  end: { result: ExtractResult } | { error: UserError }
  /** Requests that were sent. */
  exchanges: number
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
export const recordExtraction = async (folder: string, options: ExtractOptions): Promise<Recorded> => {
  const recorder = await createRecorder(folder)
  const clock = options.now ?? (() => Date.now() / 1000)
  let startedAt: number | undefined
  const now = (): number => {
    const time = clock()
    startedAt ??= time // the first look at the clock is the start that the state keeps
    return time
  }
  const end = await extract({ ...options, now, cassette: recorder }).then(
    result => ({ result }),
    error => ({ error }),
  )
  const written = await recorder.finish()
  if ('error' in end && !(end.error instanceof UserError)) throw end.error
  if ('result' in end && !end.result.finished) return { end, ...written, differences: [] }

  const run: Omit<RecordedRun, 'outcome'> = {
    version: 1,
    startedAt: startedAt ?? clock(),
    config: withoutSecretsOf(options.config, options.config),
    ...(options.state === undefined
      ? {}
      : { state: withoutSecretsOf({ config: options.config, state: options.state }, options.state) }),
    ...(options.compat === undefined ? {} : { compat: options.compat }),
  }
  const tables = join(folder, recordingFiles.tables)
  await mkdir(tables, { recursive: true })
  const { log: _, onProgress: __, keepState: ___, ...quiet } = options
  const replayed = await play(folder, run, {
    ...quiet,
    outDir: tables,
    spoolDir: `${options.spoolDir}-replay`,
  })
  const outcome =
    replayed.error === undefined
      ? { state: replayed.result?.state }
      : { error: { code: replayed.error.code, message: replayed.error.message } }
  await writeFile(join(folder, recordingFiles.run), JSON.stringify({ ...run, outcome }, undefined, 2))

  const differences = [...replayed.differences]
  const failed = 'error' in end
  if (failed !== (replayed.error !== undefined))
    differences.push(replayed.error?.message ?? 'The replay succeeds.')
  else if (!failed) {
    const inTables = await compareTables(tables, options.outDir)
    differences.push(...inTables.map(({ sentence }) => sentence))
  }
  return { end, ...written, differences }
}
