import { pathInside } from '../../paths/path-inside.ts'
import type { Config } from '../config/config-schema.ts'
import { dataTypeOf, everyJob } from '../config/job-schema.ts'
import { type ExtractorConfig, iterationsByBucket } from '../config/parse-config.ts'
import { checkLoads, createTableLoads } from './table-loads.ts'
import { createTableSink, type TableSink, type TableSinkCheckpoint } from './table-sink.ts'
import { removeTables, type WrittenTable } from './write-tables.ts'

interface SinksOptions {
  parsed: ExtractorConfig
  spoolDir: string
  /** What the last run learnt. */
  state: { structure: unknown; structVersion: number | undefined }
  /** Structure and files of tables, by position of the bucket. */
  saved: Readonly<Record<string, TableSinkCheckpoint>>
  warn: (message: string) => void
}

/**
 * The table sinks of a run: one per output bucket, shared by the iterations that write to it
 * (docs/reference/extractor.md#iterations).
 */
export const createTableSinks = ({ parsed, spoolDir, state, saved, warn }: SinksOptions) => {
  checkLoads(parsed)
  const buckets = [...iterationsByBucket(parsed)]
  const sinks = new Map<number, TableSink>()
  const warnings: string[] = []

  const make = (position: number): TableSink => {
    const [bucket, mine] = buckets[position] ?? [undefined, []]
    const [first] = mine
    const loads = createTableLoads(parsed, bucket, mine)
    const types = parsed.compat ? undefined : mine.at(-1)?.types
    // A later bucket starts from what the earlier ones learnt, as its state does
    const learnt = [...sinks.values()].at(-1)?.structure()
    const isLegacy = Number(first?.compatLevel) === 1 || state.structVersion === 2
    return createTableSink({
      folder: pathInside(spoolDir, String(position)),
      bucket,
      // The first iteration's mappings stay
      dataTypes: mine.flatMap(({ jobs }) => [...everyJob(jobs)]).map(dataTypeOf),
      mappings: first?.mappings,
      types,
      loadOf: table =>
        loads.of(table, message => {
          warnings.push(message)
          warn(message)
        }),
      keyOfLists: loads.keyOfLists,
      compat: parsed.compat,
      parser: isLegacy ? 'legacy' : 'current',
      structure: learnt?.struct ?? state.structure,
      checkpoint: saved[String(position)],
      warn,
    })
  }

  const at = (position: number): TableSink => {
    const found = sinks.get(position) ?? make(position)
    sinks.set(position, found)
    return found
  }

  for (const position of Object.keys(saved)) at(Number(position))
  return {
    of: (config: Config): TableSink => at(buckets.findIndex(([, mine]) => mine.includes(config))),
    get rows(): number {
      return [...sinks.values()].reduce((sum, sink) => sum + sink.rows, 0)
    },
    checkpoint: (): Record<string, TableSinkCheckpoint> =>
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
