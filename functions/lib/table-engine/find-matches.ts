import type { DuckDbSession } from './duckdb-session.ts'
import type { OpenSource } from './open-files.ts'
import { sameKey } from './same-key.ts'
import { scanFiles, type WantedColumns } from './scan-files.ts'
import type { Snapshot } from './snapshot.ts'

interface FindMatchesRequest {
  sources: OpenSource[]
  /** The columns of the key. They are here. */
  wanted: WantedColumns
  snapshot: Snapshot
}

/**
 * Pairs the new rows in `staged_keys` with the old rows of the same key, in a new table `matches`. Resolves to the files
 * that have one.
 */
export const findMatches = async (
  session: DuckDbSession,
  { sources, wanted, snapshot }: FindMatchesRequest,
): Promise<OpenSource[]> => {
  await session.query(`
    CREATE OR REPLACE TABLE matches AS
    SELECT staged_file, staged_row, staged_digest, file_index, file_row, NULL::BOOLEAN AS is_changed
    FROM (${scanFiles(sources, wanted)}) AS old JOIN staged_keys ON ${sameKey(snapshot, 'old', 'staged_keys')}`)
  const found = await session.query('SELECT DISTINCT file_index FROM matches')
  const indices = new Set(found.map(([index]) => Number(index)))
  return sources.filter(({ index }) => indices.has(index))
}
