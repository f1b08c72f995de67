import pMap from 'p-map'
import { UserError } from '../errors/errors.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { CsvSource, LoadRequest, LoadResult } from './files/load-request.ts'
import { type Snapshot, sum } from './files/snapshot.ts'
import { AddsColumns, mergeStaged, stageSource } from './load-table.ts'
import type { SnapshotFile } from './local-file.ts'

export interface LoadTogetherRequest extends Omit<LoadRequest, 'source' | 'incremental' | 'primaryKey'> {
  current: Snapshot
  /** In the order in which they would be loaded one by one. Rows are added, or replace those with the same key. */
  sources: CsvSource[]
}

/** What a source has brought, or why it brings nothing. */
export type SourceLoad = Omit<LoadResult, 'snapshot'> | { refusal: UserError }

export interface LoadTogetherResult {
  snapshot: Snapshot
  /** Of the first sources, in their order. Those that are left out have to be loaded after this. */
  loads: SourceLoad[]
}

/** Each holds a chunk or two in memory. */
const SOURCES_AT_ONCE = 4

/**
 * Loads several sources as one change of the table, with the rows that it would have after one load each.
 *
 * A source that is wrong brings nothing, and the others are loaded. The first one is not: its error is thrown. Only the
 * first may add columns to the table; the load ends before another one that would.
 */
export const loadTogether = async (
  context: EngineContext,
  request: LoadTogetherRequest,
): Promise<LoadTogetherResult> => {
  const { sources, current, ...common } = request
  const toLoad = (source: CsvSource, table: Snapshot): LoadRequest => ({
    ...common,
    source,
    current: table,
    primaryKey: table.primaryKey,
    incremental: true,
  })
  const [firstSource, ...others] = sources
  if (!firstSource) return { snapshot: current, loads: [] }
  const first = await stageSource(context, toLoad(firstSource, current), { name: nameOf(0) })
  const { table } = first
  const staged = await pMap(
    others,
    async (source, index): Promise<Staged | 'addsColumns'> => {
      try {
        return await stageSource(context, toLoad(source, table), { name: nameOf(index + 1), within: table })
      } catch (error) {
        if (error instanceof AddsColumns) return 'addsColumns'
        if (error instanceof UserError) return { files: [], load: { refusal: error } }
        throw error
      }
    },
    { concurrency: SOURCES_AT_ONCE },
  )
  const end = staged.indexOf('addsColumns')
  const together = staged.slice(0, end === -1 ? undefined : end).filter(source => source !== 'addsColumns')
  const files = [first, ...together].flatMap(source => source.files)
  const { snapshot, replaced } = await mergeStaged(context, toLoad(firstSource, current), {
    table,
    staged: files,
  })
  const left = [...replaced]
  const loads = [first, ...together].map(({ load, files }) => {
    const own = left.splice(0, files.length)
    return 'refusal' in load ? load : { ...load, replacedRowsCount: sum(own) }
  })
  return { snapshot, loads }
}

interface Staged {
  files: SnapshotFile[]
  load: SourceLoad
}

const nameOf = (index: number): string => `file-${String(index + 1).padStart(5, '0')}-part`
