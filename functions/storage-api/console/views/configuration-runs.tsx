import * as z from 'zod/mini'
import { type RunBody, rowResult } from '#lib/wire/run-body.ts'
import { Empty } from '../layout.tsx'
import { tablePath } from './links.tsx'
import { RunTable } from './timeline.tsx'

/** The newest runs of a configuration, and the tables that they filled. */
export const ConfigurationRuns = ({ runs }: { runs: readonly RunBody[] }) => {
  const tables = tablesOf(runs)
  return (
    <>
      <h2>Runs</h2>
      {runs.length === 0 ? <Empty>It has not run yet.</Empty> : <RunTable runs={runs} />}
      {tables.length > 0 && (
        <>
          <h2>Tables that they filled</h2>
          <ul>
            {tables.map(id => (
              <li>
                <a href={tablePath(id)}>{id}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const results = z.object({ rows: z.array(z.unknown()) })

const tablesOf = (runs: readonly RunBody[]): string[] => {
  const rows = runs.flatMap(run => results.safeParse(run.results).data?.rows ?? [])
  const filled = rows.flatMap(row => rowResult.safeParse(row).data?.tables ?? [])
  return [...new Set(filled.map(({ tableId }) => tableId))].toSorted()
}
