import type { EventBody } from '#lib/wire/event-body.ts'
import type { JobBody } from '#lib/wire/job-body.ts'
import type { RunBody } from '#lib/wire/run-body.ts'
import type { SnapshotBody } from '#lib/wire/snapshot-body.ts'
import type { BucketBody, ListedTableBody, TableBody } from '#lib/wire/table-body.ts'
import { bytes, count } from '../format.ts'
import { Empty, Facts, Grid, Problem } from '../layout.tsx'
import { Time } from '../parts.tsx'
import { EventList } from './events.tsx'
import { tablePath } from './links.tsx'
import { Attach, ChangeTable, Origin, Snapshots } from './table-parts.tsx'

export const TableList = ({
  buckets,
  tables,
}: {
  buckets: readonly BucketBody[]
  tables: readonly ListedTableBody[]
}) => (
  <>
    {buckets.length === 0 && (
      <Empty>
        No bucket yet. <a href="/console/drop">Drop a file</a>: bucket and table are made for it.
      </Empty>
    )}
    {buckets.map(bucket => {
      const inside = tables.filter(({ id, name }) => id === `${bucket.id}.${name}`)
      return (
        <section class="panel">
          <h2>{bucket.id}</h2>
          {bucket.description !== '' && <p>{bucket.description}</p>}
          {inside.length === 0 ? (
            <Empty>No tables.</Empty>
          ) : (
            <Grid
              caption={`Tables of ${bucket.id}`}
              head={['Table', { number: 'Rows' }, { number: 'Size' }, 'Primary key', 'Last import']}
            >
              {inside.map(table => (
                <tr>
                  <th scope="row">
                    <a href={tablePath(table.id)}>{table.name}</a>
                    {table.isAlias && ' (alias)'}
                  </th>
                  <td class="number">{count(table.rowsCount)}</td>
                  <td class="number">{bytes(table.dataSizeBytes)}</td>
                  <td>{table.primaryKey.join(', ')}</td>
                  <td>
                    <Time at={table.lastImportDate} />
                  </td>
                </tr>
              ))}
            </Grid>
          )}
        </section>
      )
    })}
  </>
)

export interface RowFilter {
  column: string
  value: string
  order: string
  direction: string
}

interface TableDetailProps {
  table: TableBody
  filter: RowFilter
  /** The rows that match, or why they cannot be shown. */
  rows: { cells: readonly (readonly string[])[]; isCut: boolean } | { problem: string }
  events: readonly EventBody[]
  /** Jobs that loaded it lately. */
  loads: readonly JobBody[]
  /** Runs that those jobs were part of. */
  runs: readonly RunBody[]
  snapshots: readonly SnapshotBody[]
  /** Of the storage API. */
  baseUrl: string
}

export const TableDetail = ({
  table,
  filter,
  rows,
  events,
  loads,
  runs,
  snapshots,
  baseUrl,
}: TableDetailProps) => (
  <>
    <Facts
      of={[
        ['Rows', count(table.rowsCount)],
        ['Size', bytes(table.dataSizeBytes)],
        ['Primary key', table.primaryKey.join(', ') || 'none'],
        ['Created', <Time at={table.created} />],
        ['Last import', <Time at={table.lastImportDate} />],
        ['Columns', count(table.columns.length)],
      ]}
    />
    <div class="actions">
      <form method="post" action={`${tablePath(table.id)}/export`} class="inline">
        <select name="format" aria-label="Format of the download">
          <option value="csv">CSV</option>
          <option value="gzip">CSV, gzip</option>
          <option value="json">JSON lines</option>
          <option value="parquet">Parquet</option>
        </select>
        <button type="submit">Download</button>
      </form>
      {!table.isAlias && (
        <a class="btn" href={`${tablePath(table.id)}/profile`}>
          Profile of its columns
        </a>
      )}
      <a class="btn" href={`/console/query?table=${encodeURIComponent(table.id)}`}>
        Query with SQL
      </a>
      <a class="btn" href={`/console/drop?table=${encodeURIComponent(table.id)}`}>
        Load a file into it
      </a>
    </div>
    <h2>Rows</h2>
    <form class="filter" action={tablePath(table.id)}>
      <ColumnChoice name="column" label="Where" columns={table.columns} chosen={filter.column} />
      <label>
        is
        <input name="value" value={filter.value} />
      </label>
      <ColumnChoice name="order" label="Order by" columns={table.columns} chosen={filter.order} />
      <label>
        Direction
        <select name="direction">
          <option value="ASC" selected={filter.direction !== 'DESC'}>
            ascending
          </option>
          <option value="DESC" selected={filter.direction === 'DESC'}>
            descending
          </option>
        </select>
      </label>
      <button type="submit">Show</button>
    </form>
    {'problem' in rows ? <Problem>{rows.problem}</Problem> : <Rows table={table} {...rows} />}
    <h2>Where its rows come from</h2>
    <Origin jobs={loads} runs={runs} />
    <h2>Snapshots</h2>
    <Snapshots table={table} snapshots={snapshots} />
    <h2>Rename or delete</h2>
    <ChangeTable table={table} />
    <h2>Query it with another engine</h2>
    <Attach table={table} baseUrl={baseUrl} />
    <h2>Events</h2>
    <EventList events={events} />
  </>
)

const ColumnChoice = (props: { name: string; label: string; columns: readonly string[]; chosen: string }) => (
  <label>
    {props.label}
    <select name={props.name}>
      <option value="">–</option>
      {props.columns.map(column => (
        <option value={column} selected={column === props.chosen}>
          {column}
        </option>
      ))}
    </select>
  </label>
)

const Rows = ({
  table,
  cells,
  isCut,
}: {
  table: TableBody
  cells: readonly (readonly string[])[]
  isCut: boolean
}) => (
  <>
    {cells.length === 0 ? (
      <Empty>No row matches.</Empty>
    ) : (
      <Grid caption={`Rows of ${table.id}`} head={table.columns}>
        {cells.map(row => (
          <tr>
            {row.map(cell => (
              <td class="cell">{cell}</td>
            ))}
          </tr>
        ))}
      </Grid>
    )}
    {isCut && <p class="hint">The first {cells.length} rows. Export the table for all of them.</p>}
  </>
)
