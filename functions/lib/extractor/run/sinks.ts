import { pathInside } from '../../paths/path-inside.ts'
import { type ExtractorConfig, outputBucket } from '../config/parse-config.ts'
import type { Log } from '../requests/masking/log.ts'
import type { TableSink, TableSinkCheckpoint, WrittenTable } from '../tables/sink-types.ts'
import { removeTables } from '../tables/table-file.ts'
import { createTableLoads, dataTypeOf, everyJob } from '../tables/table-loads.ts'
import { createTableSink } from '../tables/table-sink.ts'
import type { InputState } from './state.ts'

/** Checkpoints by position of the bucket. */
export type SavedSinks = Record<string, TableSinkCheckpoint>

interface SinksOptions {
  parsed: ExtractorConfig
  spoolDir: string
  state: InputState
  saved: SavedSinks
  log: Log
}

/**
 * The table sinks of a run: one per output bucket, shared by the iterations that write to it
 * (docs/reference/extractor.md#iterations).
 */
export const createSinks = ({ parsed, spoolDir, state, saved, log }: SinksOptions) => {
  const buckets = parsed.runs.map(({ config }) => outputBucket(parsed.api, config))
  const distinct = [...new Set(buckets)]
  const sinks = new Map<number, TableSink>()
  const warnings: string[] = []
  const warn = (message: string): void => {
    warnings.push(message)
    log.warning(message)
  }

  const make = (position: number): TableSink => {
    const bucket = distinct[position]
    const mine = parsed.runs.filter((_, index) => buckets[index] === bucket)
    const first = mine[0]?.config
    const loads = createTableLoads(
      parsed,
      bucket,
      mine.map(({ config }) => config),
    )
    const types = parsed.compat ? undefined : mine.at(-1)?.config.types
    // A later bucket starts from what the earlier ones learnt, as its state does
    const learnt = [...sinks.values()].at(-1)?.structure()
    const isLegacy = Number(first?.compatLevel) === 1 || state.structVersion === 2
    return createTableSink({
      folder: pathInside(spoolDir, String(position)),
      bucket,
      // The first iteration's mappings stay
      dataTypes: mine.flatMap(({ config }) => [...everyJob(config.jobs)]).map(dataTypeOf),
      mappings: first?.mappings,
      types,
      loadOf: table => loads.of(table, warn),
      keyOfLists: loads.keyOfLists,
      compat: parsed.compat,
      parser: isLegacy ? 'legacy' : 'current',
      structure: learnt?.struct ?? state.structure,
      checkpoint: saved[String(position)],
      warn: message => log.warning(message),
    })
  }

  const at = (position: number): TableSink => {
    const found = sinks.get(position) ?? make(position)
    sinks.set(position, found)
    return found
  }

  for (const position of Object.keys(saved)) at(Number(position))
  return {
    of: (iteration: number): TableSink => at(distinct.indexOf(buckets[iteration])),
    get rows(): number {
      return [...sinks.values()].reduce((sum, sink) => sum + sink.rows, 0)
    },
    checkpoint: (): SavedSinks =>
      Object.fromEntries([...sinks].map(([position, sink]) => [String(position), sink.checkpoint()])),
    /** What was learnt, for the state; `undefined` when no iteration ran. */
    structure: () => [...sinks.values()].at(-1)?.structure(),
    finish: async (outDir: string) => {
      const tables: WrittenTable[] = []
      try {
        for (const sink of sinks.values()) tables.push(...(await sink.finish(outDir)))
      } catch (error) {
        await removeTables(tables)
        throw error
      }
      return { tables, warnings }
    },
  }
}
