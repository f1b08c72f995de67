import type { JobOutcome } from '../../lib/wire/run-body.ts'
import { count, readable } from './format.ts'
import { List } from './list.tsx'

/** Requests of a configuration with their pages, and why each ended. */
export const Outcomes = ({ jobs }: { jobs: readonly JobOutcome[] }) => (
  <List
    caption="Jobs of the extraction"
    of={jobs}
    empty={null}
    columns={[
      ['Job', ({ job }) => job, 'name'],
      ['Endpoint', ({ endpoint }) => endpoint],
      ['Data type', ({ dataType }) => dataType],
      ['Pages', ({ pages }) => count(pages), 'number'],
      ['Rows', ({ rows }) => count(rows), 'number'],
      ['Why it ended', ({ ended }) => reasonsIn(ended), 'cell'],
    ]}
  />
)

const reasonsIn = (ended: JobOutcome['ended']): string =>
  Object.entries(ended)
    .map(([reason, times]) => (times === 1 ? reason : `${reason} (${times} times)`))
    .join('; ') || readable(ended)
