import { count } from '../format.ts'
import { Empty, Grid, Status } from '../layout.tsx'
import type { Run } from '../schemas.ts'
import { pathOf } from './configurations.tsx'

/** Runs of configurations, newest first. Asks for itself again while it is open. */
export const RunList = ({ runs }: { runs: readonly Run[] }) => (
  <div hx-get="/console/runs/live" hx-trigger="every 5s" hx-swap="outerHTML">
    {runs.length === 0 ? (
      <Empty>No configuration has run yet.</Empty>
    ) : (
      <Grid
        caption="Runs"
        head={['Begun', 'Status', 'Configuration', 'Started by', 'Took', 'Rows', 'What became of it']}
      >
        {runs.map(run => (
          <tr>
            <th scope="row">
              <time datetime={run.startTime}>{run.startTime}</time>
            </th>
            <td>
              <Status value={run.status} />
            </td>
            <td>
              <a href={pathOf(run.componentId, run.configId)}>
                {run.componentId}/{run.configId}
              </a>
            </td>
            <td>{run.trigger || 'a person'}</td>
            <td class="number">{run.durationSeconds === null ? '' : `${run.durationSeconds} s`}</td>
            <td class="number">{count(run.rowsLoaded)}</td>
            <td class="cell">{run.error?.message ?? ''}</td>
          </tr>
        ))}
      </Grid>
    )}
  </div>
)
