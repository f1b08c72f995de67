import type { ExtractResult } from '../extract-options.ts'
import { formatCheckpoint, type Leg } from './checkpoint.ts'
import type { Extraction } from './extraction.ts'
import { prepareIteration } from './prepare-iteration.ts'
import { runIteration } from './run-iteration.ts'
import { createRunStatistics } from './run-statistics.ts'
import { restoreSequences, saveSequences } from './saved-sequences.ts'

/** Reads all pages of all iterations. Resolves to a checkpoint when a stop comes first. */
export const runIterations = async (extraction: Extraction): Promise<ExtractResult | undefined> => {
  const { options, secrets, masker, parsed, now, leg, time, log, sinks, marks, windows, names, checks } =
    extraction
  const { deletions, refreshTokens, statistics, stop, abort, counts, traffic, bounds, summary } = extraction
  const { wait, admissionFor, keptAnswers } = extraction
  let pages = 0
  for (let index = leg.iteration; index < parsed.runs.length; index++) {
    const iteration = await prepareIteration({
      parsed,
      index,
      options,
      now,
      time,
      masker,
      log,
      marks,
      windows,
      iterationName: names[index] ?? '',
      checks: options.maxRows === undefined ? checks : undefined,
      noteKeys: deletions.noteKeys(index),
      refreshTokens,
      keptAnswers,
      wait,
      admissionFor,
      statistics: statistics[index] ?? createRunStatistics(''),
      signal: abort.signal,
      onRetry: () => counts.retries++,
      onLogin: () => counts.logins++,
    })
    try {
      const resumed = index === leg.iteration && leg.lanes !== undefined
      const left = await runIteration({
        ...iteration,
        sink: sinks.of(index),
        stop,
        bounds,
        ...(resumed ? { sequences: restoreSequences(leg.lanes, iteration.plans, iteration.context) } : {}),
        onPage: url => {
          pages++
          options.onProgress?.({ pages, rows: sinks.rows, retries: counts.retries, url: masker.mask(url) })
        },
      })
      if (left.length > 0) {
        const next: Leg = {
          iteration: index,
          lanes: saveSequences(left, now()),
          statistics: statistics.map(one => one.all()),
          marks: marks.all(),
          ...counts,
          traffic,
          currentStart: leg.currentStart,
          sinks: sinks.checkpoint(),
          checks: checks.save(),
          windows: windows.save(),
          reached: bounds.reached,
          keys: deletions.save(),
        }
        return {
          finished: false,
          checkpoint: formatCheckpoint(next, options.config, secrets),
          resumeInSeconds: stop.resumeInSeconds,
          summary: summary([]),
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
