import type { BucketBody, ListedTableBody, TableBody } from '#lib/wire/table-body.ts'
import { bytes, count } from '../format.ts'
import { Empty, Facts, Grid } from '../layout.tsx'
import { Icon, Tabs, Time } from '../parts.tsx'
import { tablePath } from './links.tsx'

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
    {buckets.length > 0 && (
      <Grid
        caption="Tables by bucket"
        head={['Table', { number: 'Rows' }, { number: 'Size' }, 'Primary key', 'Last import']}
      >
        {buckets.map(bucket => {
          const inside = tables.filter(({ id, name }) => id === `${bucket.id}.${name}`)
          return (
            <>
              <tr>
                <th colspan={5} scope="rowgroup">
                  {bucket.id} <span class="hint">{bucket.description}</span>
                </th>
              </tr>
              {inside.length === 0 && (
                <tr>
                  <td colspan={5}>No tables.</td>
                </tr>
              )}
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
            </>
          )
        })}
      </Grid>
    )}
  </>
)

/** The pages of one table. */
export const TableTabs = ({ table, at, mayChange }: { table: TableBody; at: string; mayChange: boolean }) => {
  const path = tablePath(table.id)
  return (
    <Tabs
      label={`Pages of ${table.id}`}
      at={`${path}${at}`}
      of={[
        [path, 'Rows'],
        [`${path}/history`, 'History'],
        [`${path}/snapshots`, 'Snapshots'],
        [`${path}/engines`, 'Other engines'],
        ...(mayChange ? [[`${path}/settings`, 'Settings'] as const] : []),
      ]}
    />
  )
}

export const TableFacts = ({ table }: { table: TableBody }) => (
  <Facts
    of={[
      ['Rows', count(table.rowsCount)],
      ['Size', bytes(table.dataSizeBytes)],
      ['Primary key', table.primaryKey.join(', ') || 'none'],
      ['Created', <Time at={table.created} />],
      ['Last import', <Time at={table.lastImportDate} />],
      ['Columns', `${count(table.columns.length)}${table.isTyped ? ', typed' : ', all text'}`],
    ]}
  />
)

export const formats = [
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
  ['jsonl', 'JSON lines'],
] as const

/** What somebody does with a table. A download begins with one click. */
export const TableActions = ({ table, mayChange }: { table: TableBody; mayChange: boolean }) => (
  <>
    <button type="button" popovertarget="download">
      <Icon name="download" /> Download
    </button>
    <div id="download" popover="auto" class="panel menu" role="menu">
      {formats.map(([format, name]) => (
        <a role="menuitem" href={`${tablePath(table.id)}/download?format=${format}`}>
          {name}
        </a>
      ))}
    </div>
    <a class="btn" href={`/console/query?table=${encodeURIComponent(table.id)}`}>
      <Icon name="terminal" /> Query
    </a>
    {mayChange && !table.isAlias && (
      <a class="btn btn-primary" href={`/console/drop?table=${encodeURIComponent(table.id)}`}>
        <Icon name="upload" /> Load a file
      </a>
    )}
  </>
)
