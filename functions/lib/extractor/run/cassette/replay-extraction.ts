import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { UserError } from '#lib/errors/errors.ts'
import { type ExtractOptions, type ExtractResult, extract, type KeptWindows } from '../extract.ts'
import { compareTables } from './compare-tables.ts'
import { createPlayer } from './player.ts'
import { type RecordedRun, readRun, recordingFiles } from './recording.ts'
import { withoutSecretsOf } from './without-secrets.ts'

type ReplayOptions = Omit<ExtractOptions, 'cassette' | 'now' | 'state' | 'keepState' | 'keepWindows'>

/** What became of a run whose API was a recording. */
interface Replayed {
  /** Undefined: the run failed. */
  result: Extract<ExtractResult, { finished: true }> | undefined
  error: UserError | undefined
  /** Of a run that failed: what it has read of windows before. */
  kept: KeptWindows | undefined
  /** Sentences; none when it ended as the run that was recorded, with the same requests, tables and state. */
  differences: string[]
}

/**
 * Runs a configuration against a recording, without a network, and compares its end, tables and state with the recorded ones. Clock and
 * state are those of the recording. Secrets of the configuration take no part: they are `***` in the recording and here.
 *
 * @throws UserError `extractor.recording.invalid`
 */
export const replayExtraction = async (folder: string, options: ReplayOptions): Promise<Replayed> => {
  const run = await readRun(folder)
  const keepsWindows = 'error' in run.outcome && run.outcome.kept !== undefined
  const replayed = await play(folder, run, { ...options, keepsWindows })
  const tables =
    replayed.result === undefined && replayed.kept === undefined
      ? []
      : await compareTables(join(folder, recordingFiles.tables), options.outDir)
  const inTables = tables.map(({ sentence, values }) =>
    values === undefined ? sentence : `${sentence} ${values}`,
  )
  return {
    ...replayed,
    differences: [...endDifferences(run, replayed), ...replayed.differences, ...inTables],
  }
}

/** The run alone: its differences are those of its requests. */
export const play = async (
  folder: string,
  run: Pick<RecordedRun, 'compat' | 'startedAt' | 'state'>,
  { keepsWindows, ...options }: ReplayOptions & { keepsWindows: boolean },
): Promise<Replayed> => {
  let kept: KeptWindows | undefined
  const keepWindows = async (part: KeptWindows): Promise<void> => {
    kept = part
  }
  const player = await createPlayer(folder, run.startedAt)
  const compat = options.compat ?? run.compat
  try {
    const result = await extract({
      ...options,
      ...withoutSecretsOf({ config: options.config }),
      state: run.state,
      now: player.now,
      cassette: player,
      ...(keepsWindows && { keepWindows }),
      ...(compat === undefined ? {} : { compat }),
    })
    if (!result.finished) throw new Error('The replay was stopped before its end')
    return { result, error: undefined, kept, differences: player.differences() }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { result: undefined, error, kept, differences: player.differences() }
  }
}

const endDifferences = ({ outcome }: RecordedRun, { result, error, kept }: Replayed): string[] => {
  const recorded = 'error' in outcome ? `failed: ${outcome.error.message}` : 'succeeded'
  const now = error === undefined ? 'succeeded' : `failed: ${error.message}`
  if (recorded !== now) return [`The recorded run ${recorded}; now it ${now}.`]
  if ('error' in outcome)
    return outcome.kept === undefined ? [] : stateDifferences(outcome.kept?.state, kept?.state)
  return stateDifferences(outcome.state, result?.state)
}

/** Undefined: there is none, as of a failed run that kept nothing. */
const stateDifferences = (recorded: unknown, now: unknown): string[] =>
  isDeepStrictEqual(recorded, now === undefined ? undefined : asStored(now))
    ? []
    : [`The state differs: recorded ${shown(recorded)}, now ${shown(now)}.`]

const shown = (state: unknown): string => JSON.stringify(state) ?? 'none'

const asStored = (state: unknown): unknown => JSON.parse(JSON.stringify(state))
