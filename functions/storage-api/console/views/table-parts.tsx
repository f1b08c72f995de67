import type { JobBody } from '#lib/wire/job-body.ts'
import type { RunBody } from '#lib/wire/run-body.ts'
import type { SnapshotBody } from '#lib/wire/snapshot-body.ts'
import type { TableBody } from '#lib/wire/table-body.ts'
import { count, counted } from '../format.ts'
import { Empty, Grid } from '../layout.tsx'
import { Confirm, Time } from '../parts.tsx'
import { pathOf, tablePath } from './links.tsx'
import { JobTable } from './timeline.tsx'

interface SnapshotsProps {
  table: TableBody
  snapshots: readonly SnapshotBody[]
  /** Whether the token may write the table. */
  mayChange: boolean
}

/** Snapshots that were kept, each with a way back. */
export const Snapshots = ({ table, snapshots, mayChange }: SnapshotsProps) => (
  <>
    {snapshots.length === 0 ? (
      <Empty>No snapshot yet. One keeps the rows as they are, to come back to.</Empty>
    ) : (
      <Grid
        caption="Snapshots"
        head={['Made', { number: 'Rows' }, 'By', 'Description', ...(mayChange ? ['Restore'] : [])]}
      >
        {snapshots.map(snapshot => (
          <tr>
            <th scope="row">
              <Time at={snapshot.createdTime} />
            </th>
            <td class="number">{count(snapshot.rowsCount)}</td>
            <td>{snapshot.creatorToken.description}</td>
            <td class="cell">{snapshot.description}</td>
            {mayChange && (
              <td>
                {!table.isAlias && (
                  <Confirm
                    id={`restore-${snapshot.id}`}
                    verb="Restore"
                    action={`${tablePath(table.id)}/snapshots/${snapshot.id}/restore`}
                  >
                    The table gets the {counted(snapshot.rowsCount, 'row')} of this snapshot in place of the{' '}
                    {counted(table.rowsCount ?? 0, 'row')} that it has. A snapshot of these is kept before.
                  </Confirm>
                )}{' '}
                <form method="post" action={`${tablePath(table.id)}/snapshots/${snapshot.id}/copy`}>
                  <input
                    name="name"
                    value={`${table.name}_restored`}
                    required
                    maxlength={96}
                    aria-label={`Name of the table that the snapshot of ${snapshot.createdTime} becomes`}
                  />
                  <button type="submit">Make a table of it</button>
                </form>
              </td>
            )}
          </tr>
        ))}
      </Grid>
    )}
    {mayChange && (
      <form method="post" action={`${tablePath(table.id)}/snapshots`} class="filter">
        <label>
          Why the snapshot is taken
          <input name="description" />
        </label>
        <button type="submit">Take a snapshot</button>
      </form>
    )}
  </>
)

/** What cannot be undone asks for the id of the table. */
export const ChangeTable = ({ table }: { table: TableBody }) => (
  <>
    <form method="post" action={`${tablePath(table.id)}/rename`} class="filter">
      <label>
        Shown name; the id stays the same
        <input name="displayName" value={table.displayName} required maxlength={96} />
      </label>
      <button type="submit">Rename</button>
    </form>
    <div class="actions">
      {!table.isAlias && (
        <Confirm
          id="truncate"
          verb="Delete all rows"
          action={`${tablePath(table.id)}/truncate`}
          typed={table.id}
        >
          The table loses its {counted(table.rowsCount ?? 0, 'row')} and stays. A snapshot of them is kept
          before, so that they can be brought back.
        </Confirm>
      )}
      <Confirm id="delete" verb="Delete the table" action={`${tablePath(table.id)}/delete`} typed={table.id}>
        The table goes with its {counted(table.rowsCount ?? 0, 'row')}.{' '}
        {!table.isAlias &&
          'A snapshot is kept before, so that it can be brought back. Snapshots that were kept stay, too.'}
      </Confirm>
    </div>
  </>
)

/** The loads of a table and the configurations whose runs brought rows. */
export const Origin = ({ jobs, runs }: { jobs: readonly JobBody[]; runs: readonly RunBody[] }) => {
  const configurations = new Map(
    runs.map(({ componentId, configId }) => [pathOf(componentId, configId), `${componentId}/${configId}`]),
  )
  return (
    <>
      {configurations.size > 0 && (
        <p>
          Configurations:{' '}
          {[...configurations].map(([path, name]) => (
            <>
              <a href={path}>{name}</a>{' '}
            </>
          ))}
        </p>
      )}
      {jobs.length === 0 ? <Empty>Nothing was loaded lately.</Empty> : <JobTable jobs={jobs} />}
    </>
  )
}

/** How other engines read the table: an address, and what to type. */
export const Attach = ({ table, baseUrl }: { table: TableBody; baseUrl: string }) => {
  const at = table.id.lastIndexOf('.')
  const name = `"${table.id.slice(0, at)}"."${table.id.slice(at + 1)}"`
  return (
    <>
      <p>
        The table is an Apache Iceberg table. Engines that read Iceberg find it in the REST catalogue at{' '}
        <code>{baseUrl}/iceberg</code>, with a storage token that may read its bucket.
      </p>
      <details>
        <summary>DuckDB</summary>
        <pre>{`INSTALL iceberg; LOAD iceberg;
CREATE SECRET (TYPE iceberg, TOKEN '…');
ATTACH 'millrace' AS millrace (TYPE iceberg, ENDPOINT '${baseUrl}/iceberg');
SELECT * FROM millrace.${name} LIMIT 10;`}</pre>
      </details>
      <details>
        <summary>PyIceberg</summary>
        <pre>{`from pyiceberg.catalog import load_catalog
catalog = load_catalog("millrace", type="rest", uri="${baseUrl}/iceberg", token="…", warehouse="millrace")
catalog.load_table(("${table.id.slice(0, at)}", "${table.id.slice(at + 1)}")).scan(limit=10).to_arrow()`}</pre>
      </details>
      <details>
        <summary>The command line</summary>
        <pre>{`npx millrace query 'SELECT * FROM ${table.id} LIMIT 10'`}</pre>
      </details>
    </>
  )
}
