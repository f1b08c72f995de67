import { recordExtraction } from '../functions/lib/extractor/run/cassette/record-extraction.ts'
import { replayExtraction } from '../functions/lib/extractor/run/cassette/replay-extraction.ts'
import type { ExtractOptions, ExtractResult } from '../functions/lib/extractor/run/extract.ts'
import type { ExtractConsole } from './extract-console.ts'
import { outFolder } from './out-folder.ts'

/** `millrace extract --record FOLDER`: the run as usual, and what may keep its recording from being repeated. */
export const recordRun = async (
  folder: string,
  options: ExtractOptions,
  console: ExtractConsole,
): Promise<ExtractResult> => {
  const { end, exchanges, maskedBodies, differences } = await recordExtraction(folder, options)
  const masked = maskedBodies === 0 ? '' : `; secrets were taken out of ${maskedBodies} of them`
  console.log({ level: 'info', message: `Recorded ${exchanges} answers in "${folder}"${masked}.` })
  for (const difference of differences)
    console.log({ level: 'warning', message: `The recording does not repeat this run: ${difference}` })
  if ('error' in end) throw end.error
  return end.result
}

/**
 * `millrace extract --replay FOLDER`: tables and state are written as by a run, with `***` for secrets.
 *
 * @returns exit code: 0 when nothing differs from the recorded run, be it that both failed; else 1
 */
export const replayRun = async (
  folder: string,
  dataDir: string,
  options: ExtractOptions,
  console: ExtractConsole,
): Promise<number> => {
  const { result, error, kept, differences } = await replayExtraction(folder, options)
  if (result !== undefined) {
    console.summary(result.summary)
    await outFolder(dataDir).writeState(result.state)
  } else if (kept !== undefined) {
    console.summary(kept.summary)
    await outFolder(dataDir).writeState(kept.state)
  }
  for (const difference of differences) console.log({ level: 'error', message: difference })
  if (differences.length > 0) return 1
  const end = error === undefined ? 'with the same tables' : `as it did then: ${error.message}`
  console.log({ level: 'info', message: `The run ended ${end}.` })
  return 0
}
