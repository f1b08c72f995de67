import { openDuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import type { Statement } from './parse-statement.ts'
import { type QueryRun, runMerge } from './run-merge.ts'
import { runOptimize } from './run-optimize.ts'

const MEMORY_MIB = 512

type StatementRun = Omit<QueryRun, 'session'> & { scratchDir: string }

/** Does a statement in a database of its own. Resolves to the rows that it has written, where Athena says so. */
export const runStatement = async (
  { target, merge }: Pick<Statement, 'target' | 'merge'>,
  { scratchDir, ...run }: StatementRun,
): Promise<number> => {
  const session = await openDuckDbSession({ scratchDir, memoryLimitMiB: MEMORY_MIB, threads: 1 })
  try {
    if (merge) return await runMerge({ merge, session, ...run })
    await runOptimize({ target, session, ...run })
    return 0
  } finally {
    await session.close()
  }
}
