import { rmSync } from 'node:fs'
import { finishDrift } from '../drift/finish-drift.ts'
import type { ExtractResult } from '../extract-options.ts'
import { notKeptWarnings } from '../http/kept-answers.ts'
import type { Extraction } from './extraction.ts'
import { castWarnings } from './run-statistics.ts'
import { nextState } from './state.ts'

/** After the last page: tables and manifests, the state that the next run begins with, and what there is to say. */
export const finishExtraction = async (extraction: Extraction): Promise<ExtractResult> => {
  const { options, masker, state, leg, time, log, sinks, marks, windows, checks, deletions, refreshTokens } =
    extraction
  const { configs, statistics, spool, traffic, bounds, keptAnswers, summary, warningsOf } = extraction
  const gone = await deletions.mark({ statistics, reached: bounds.reached, sinkOf: sinks.of })
  const learnt = sinks.structure()
  const { tables, warnings } = await sinks.finish(options.outDir)
  const drift = await finishDrift({
    tables,
    // What is cut short, a preview or a run at one of its limits, has too few rows to say how they have changed
    configs: options.maxRows === undefined && bounds.reached === undefined ? configs : [],
    before: state.profiles,
    mask: masker.mask,
    log,
    mayHold: options.mayHold === true,
  })
  rmSync(spool.items, { recursive: true, force: true })
  const next = nextState(options.state, {
    // What was not read is still to be asked for
    currentStart: bounds.reached === undefined ? leg.currentStart : time.previousStart,
    learnt,
    highWaterMarks: bounds.reached === undefined ? marks.all() : state.highWaterMarks,
    windows: windows.all(),
    refreshTokens: refreshTokens.all(),
    profiles: drift.profiles,
    keySets: gone.kept,
  })
  checks.remove()
  const ended = summary(tables)
  const ofCasts = castWarnings(ended.jobs)
  for (const warning of ofCasts) log.warning(warning)
  const said = [
    ...warnings,
    ...(bounds.reached === undefined ? [] : [bounds.reached]),
    ...warningsOf(ended),
    ...ofCasts,
    ...drift.warnings,
    ...notKeptWarnings(traffic, log),
    ...gone.warnings,
  ]
  const compared = drift.report === undefined ? {} : { drift: drift.report }
  const answers = keptAnswers?.file()
  const kept = answers === undefined ? {} : { keptAnswers: answers }
  return {
    finished: true,
    state: next,
    tables,
    warnings: said.map(masker.mask),
    ...compared,
    ...kept,
    summary: ended,
  }
}
