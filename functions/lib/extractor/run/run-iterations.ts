import { formatCheckpoint, type Leg } from './checkpoint.ts'
import type { ExtractResult } from './extract-options.ts'
import type { Extraction } from './extraction.ts'
import { prepareIteration } from './prepare-iteration.ts'
import { runIteration } from './run-iteration.ts'
import { restoreSequences, saveSequences } from './saved-sequences.ts'

/** Reads all pages of all iterations. Resolves to a checkpoint when a stop comes first. */
export const runIterations = async (extraction: Extraction): Promise<ExtractResult | undefined> => {
  const { options, secrets, masker, parsed, leg, sinks, counts, traffic, stop, bounds, abort } = extraction
  const requestLimit = parsed.api.limits?.requests
  let pages = 0
  for (let index = leg.iteration; index < parsed.runs.length; index++) {
    const iteration = await prepareIteration(extraction, index)
    try {
      const resumed = index === leg.iteration && leg.lanes !== undefined
      const sequences = resumed ? restoreSequences(leg.lanes, iteration.plans, iteration.context) : undefined
      const onPage = (url: string): void => {
        pages++
        options.onProgress?.({
          pages,
          rows: sinks.rows,
          retries: counts.retries,
          requests: traffic.requests,
          ...(requestLimit !== undefined && { requestLimit }),
          waitedSeconds: traffic.waitedSeconds,
          url: masker.mask(url),
        })
      }
      const left = await runIteration({ ...iteration, onPage }, sequences)
      if (left.length > 0) {
        const next: Leg = {
          iteration: index,
          lanes: saveSequences(left, extraction.now()),
          statistics: extraction.statistics.map(one => one.all()),
          marks: extraction.marks.all(),
          ...counts,
          traffic,
          currentStart: leg.currentStart,
          sinks: sinks.checkpoint(),
          checks: extraction.checks.save(),
          windows: extraction.windows.save(),
          reached: bounds.reached,
          keys: extraction.deletions.save(),
        }
        return {
          finished: false,
          checkpoint: formatCheckpoint(next, options.config, secrets),
          resumeInSeconds: stop.resumeInSeconds,
          summary: extraction.summary([]),
        }
      }
    } catch (error) {
      abort.abort(error) // before the connections close, so that requests under way end without an error of their own
      throw error
    } finally {
      await iteration.close()
    }
  }
  return undefined
}
