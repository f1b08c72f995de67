import { openDuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import type { Statement } from './parse-statement.ts'
import type { QueryRun } from './query-table.ts'
import { runMerge } from './run-merge.ts'
import { runOptimize } from './run-optimize.ts'

const MEMORY_MIB = 512

export type StatementRun = Omit<QueryRun, 'session'> & { scratchDir: string }

/** Does a statement in a database of its own. Resolves to the rows that it has written, where Athena says so. */
export type RunStatement = (statement: Statement, run: StatementRun) => Promise<number>

/** DuckDB does it: for what fits one machine. */
export const runStatement: RunStatement = async ({ merge, ...statement }, { scratchDir, ...run }) => {
  const session = await openDuckDbSession({ scratchDir, memoryLimitMiB: MEMORY_MIB, threads: 1 })
  try {
    if (merge) return await runMerge({ ...statement, merge }, { session, ...run })
    await runOptimize(statement.target, { session, ...run })
    return 0
  } finally {
    await session.close()
  }
}
