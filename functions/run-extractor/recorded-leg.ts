import { join } from 'node:path'
import { packRecording } from '../lib/extractor/run/cassette/pack-recording.ts'
import { recordExtraction } from '../lib/extractor/run/cassette/record-extraction.ts'
import { type ExtractOptions, type ExtractResult, extract } from '../lib/extractor/run/extract.ts'
import { keepRecording } from './kept-recordings.ts'
import type { Run } from './run.ts'
import type { RunServices } from './services.ts'

interface RecordedLeg {
  result: ExtractResult
  /** Of a row that has come to its end; without secrets. */
  recording?: Buffer | undefined
  /** What the author should know of the recording. */
  said: string[]
}

/** Of all answers of a row, and of all files of its recording. */
const ANSWERS_BYTES = 32 * 1024 ** 2
const RECORDING_BYTES = 96 * 1024 ** 2

const MAX_DIFFERENCES = 3

/**
 * A leg that keeps its exchanges beside the spooled rows, so that the next leg has them too. When the row fails here, what it did
 * is kept as the last bad recording at once.
 */
export const recordLeg = async (
  run: Run,
  options: ExtractOptions,
  services: RunServices,
): Promise<RecordedLeg> => {
  const folder = join(options.spoolDir, 'recording')
  const { end, isWhole, differences } = await recordExtraction(folder, options, {
    limitBytes: ANSWERS_BYTES,
    onFailure: error => services.log.warn('recording given up', { runId: run.id, reason: String(error) }),
  })
  const recording = isWhole ? await packRecording(folder, RECORDING_BYTES) : undefined
  if ('error' in end) {
    if (recording !== undefined) await keepRecording(run, 'bad', recording, services)
    throw end.error
  }
  const isLost = end.result.finished && recording === undefined
  return {
    result: end.result,
    recording,
    said: [
      ...(isLost
        ? ['The run was not recorded: its answers are too large, or it could not be repeated.']
        : []),
      ...differences
        .slice(0, MAX_DIFFERENCES)
        .map(difference => `The recording does not repeat this run: ${difference}`),
    ],
  }
}

export const plainLeg = async (options: ExtractOptions): Promise<RecordedLeg> => ({
  result: await extract(options),
  said: [],
})
