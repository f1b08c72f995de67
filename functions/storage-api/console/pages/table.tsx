import type { Child } from 'hono/jsx'
import { eventBody } from '#lib/wire/event-body.ts'
import { fileBody } from '#lib/wire/file-body.ts'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { tableOfJob } from '#lib/wire/job-results.ts'
import { loadSettingsOf } from '#lib/wire/load-settings.ts'
import { metadatumBody } from '#lib/wire/metadatum-body.ts'
import { queryFileBody } from '#lib/wire/query-body.ts'
import { type SnapshotBody, snapshotBody } from '#lib/wire/snapshot-body.ts'
import { type TableBody, tableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, orProblem, path, query } from '../api-client.ts'
import { bytes, count, counted } from '../format.ts'
import { Act, Confirm, Field } from '../forms.tsx'
import { asJob } from '../job-started.ts'
import { tablePath } from '../links.tsx'
import { List } from '../list.tsx'
import { Empty, Facts, Icon, Tabs, Time } from '../parts.tsx'
import { mayWrite } from '../person.ts'
import { page } from '../route.ts'
import { readChoice } from '../row-choice.ts'
import { rowsOf } from '../table-rows.tsx'
import { WorkList, workOf } from '../work-list.tsx'
import { CHANGES_ONLY, EventList } from './events.tsx'

const EVENTS_SHOWN = 50
const LOADS_SHOWN = 20

export const formats = [
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
  ['jsonl', 'JSON lines'],
] as const

const tabs = { '': 'Rows', '/history': 'History', '/snapshots': 'Snapshots' }

/** A page of one table, with the way to its others. */
const tablePage = (
  end: string,
  name: string,
  build: (
    client: ApiClient,
    table: TableBody,
    asked: { query: Readonly<Record<string, string>>; mayChange: boolean },
  ) => Promise<Child>,
) =>
  page(`/console/tables/:id${end}`, async ({ client, params: { id = '' }, query: asked }) => {
    const table = await client.get(path`tables/${id}`, tableBody)
    const mayChange = mayWrite(await client.person(), table.id)
    const at = tablePath(table.id)
    const shown = Object.entries({ ...tabs, ...(mayChange && { '/settings': 'Settings' }) })
    return {
      title: end === '' ? table.id : `${table.id}: ${name.toLowerCase()}`,
      action: <TableActions table={table} mayChange={mayChange} />,
      body: (
        <>
          <Tabs
            label={`Pages of ${table.id}`}
            at={at + end}
            of={shown.map(([each, text]) => [at + each, text])}
          />
          {await build(client, table, { query: asked, mayChange })}
        </>
      ),
    }
  })

/** What somebody does with a table. A download begins with one click. */
const TableActions = ({ table, mayChange }: { table: TableBody; mayChange: boolean }) => (
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
    <a class="btn" href={`/console/query${query({ table: table.id })}`}>
      <Icon name="terminal" /> Query
    </a>
    {mayChange && !table.isAlias && (
      <a class="btn btn-primary" href={`/console/drop${query({ table: table.id })}`}>
        <Icon name="upload" /> Load a file
      </a>
    )}
  </>
)

export const tablePages = [
  tablePage('', tabs[''], async (client, table, { query: asked, mayChange }) => {
    return (
      <>
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
        {await rowsOf(client, table, { choice: readChoice(asked), mayChange })}
      </>
    )
  }),
  tablePage('/history', tabs['/history'], async (client, table) => {
    const asked = query({ limit: EVENTS_SHOWN, q: CHANGES_ONLY })
    const [events, jobs] = await Promise.all([
      client.list(path`tables/${table.id}/events` + asked, eventBody),
      client.list(`jobs${query({ limit: 100 })}`, jobBody),
    ])
    const loads = jobs.filter(isLoadOf(table)).slice(0, LOADS_SHOWN)
    return (
      <>
        <h2>Where its rows come from</h2>
        <WorkList of={workOf(loads, [], new Map())} empty={<Empty>Nothing was loaded lately.</Empty>} />
        <h2>Events</h2>
        <EventList events={events} />
      </>
    )
  }),
  tablePage('/snapshots', tabs['/snapshots'], async (client, table, { mayChange }) => {
    const snapshots = await client.list(path`tables/${table.id}/snapshots`, snapshotBody)
    return <Snapshots table={table} snapshots={snapshots} mayChange={mayChange} />
  }),
  tablePage('/settings', 'Settings', async (client, table, { mayChange }) =>
    mayChange ? (
      <>
        <Settings table={table} />
        {!table.isAlias && (
          <LoadSettings
            of={table.id}
            kept={loadSettingsOf(await client.list(path`tables/${table.id}/metadata`, metadatumBody))}
          />
        )}
      </>
    ) : (
      <Empty icon="key">
        Your token may read this table. To change it takes the right to write its bucket.
      </Empty>
    ),
  ),
  // The whole table as one file; by a job where it is too much for a request.
  page('/console/tables/:id/download', async ({ client, params: { id }, query: { format = 'csv' } }) => {
    const { name, columns } = await client.get(path`tables/${id}`, tableBody)
    const quoted = columns.map(column => `"${column.replaceAll('"', '""')}"`)
    const sql = `SELECT ${quoted.join(', ')} FROM "${id}"`
    const made = await orProblem(client.send('POST', 'query', { sql, format, name }, queryFileBody))
    if (!('problem' in made)) return { redirect: (await client.get(`files/${made.file.id}`, fileBody)).url }
    const fields =
      format === 'parquet' ? { fileType: 'parquet' } : format === 'jsonl' ? { format: 'json' } : {}
    return asJob(client, 'POST', path`tables/${id}/export-async`, fields)
  }),
]

const isLoadOf = (table: TableBody) => (job: JobBody) =>
  (job.operationName === 'tableImport' || job.operationName === 'tableCreate') && tableOfJob(job) === table.id

interface SnapshotsProps {
  table: TableBody
  snapshots: readonly SnapshotBody[]
  /** Whether the token may write the table. */
  mayChange: boolean
}

/** Snapshots that were kept, each with a way back. */
const Snapshots = ({ table, snapshots, mayChange }: SnapshotsProps) => (
  <>
    <List
      caption="Snapshots"
      of={snapshots}
      empty={<Empty>No snapshot yet. One keeps the rows as they are, to come back to.</Empty>}
      columns={[
        ['Made', ({ createdTime }) => <Time at={createdTime} />, 'name'],
        ['Rows', ({ rowsCount }) => count(rowsCount), 'number'],
        ['By', ({ creatorToken }) => creatorToken.description],
        ['Description', ({ description }) => description, 'cell'],
        ['Restore', snapshot => mayChange && <WaysBack table={table} snapshot={snapshot} />],
      ]}
    />
    {mayChange && (
      <Act to={`${tablePath(table.id)}/snapshots`} verb="Take a snapshot" form="filter">
        <Field label="Why the snapshot is taken" name="description" />
      </Act>
    )}
  </>
)

const WaysBack = ({ table, snapshot }: { table: TableBody; snapshot: SnapshotBody }) => {
  const at = `${tablePath(table.id)}/snapshots/${snapshot.id}`
  return (
    <>
      {!table.isAlias && (
        <Confirm id={`restore-${snapshot.id}`} verb="Restore" to={`${at}/restore`}>
          The table gets the {counted(snapshot.rowsCount, 'row')} of this snapshot in place of the{' '}
          {counted(table.rowsCount ?? 0, 'row')} that it has. A snapshot of these is kept before.
        </Confirm>
      )}{' '}
      <Act to={`${at}/copy`} verb="Make a table of it">
        <input
          name="name"
          value={`${table.name}_restored`}
          required
          maxlength={96}
          aria-label={`Name of the table that the snapshot of ${snapshot.createdTime} becomes`}
        />
      </Act>
    </>
  )
}

/** How files that land load, where neither their metadata nor a rule says it: the words that `tables settings` of the command has. */
const LoadSettings = ({ of, kept }: { of: string; kept: Readonly<Record<string, string>> }) => (
  <>
    <h2>Files that land</h2>
    <Act to={`${tablePath(of)}/loads`} verb="Keep for files that land" form="panel narrow">
      <Field
        label="Add the rows, and replace those with the same primary key"
        type="checkbox"
        name="incremental"
        checked={kept['incremental'] === '1'}
      />
      <Field label="Types, where all rows are replaced" name="types" options={types} value={kept['types']} />
      <Field label="Delimiter; \t for a tab" name="delimiter" maxlength={2} value={kept['delimiter']} />
      <Field label="Enclosure" name="enclosure" maxlength={2} value={kept['enclosure']} />
      <Field label="Columns, separated by commas: no header" name="columns" value={kept['columns']} />
    </Act>
  </>
)

const types = [
  ['', 'as the table has them'],
  ['text', 'text'],
  ['detect', 'detect'],
] as const

/** What cannot be undone asks for the id of the table. */
const Settings = ({ table }: { table: TableBody }) => {
  const at = tablePath(table.id)
  const rows = counted(table.rowsCount ?? 0, 'row')
  return (
    <>
      <Act to={`${at}/rename`} verb="Rename" form="filter">
        <Field
          label="Shown name; the id stays the same"
          name="displayName"
          value={table.displayName}
          required
          maxlength={96}
        />
      </Act>
      <div class="actions">
        {!table.isAlias && (
          <Confirm id="truncate" verb="Delete all rows" to={`${at}/truncate`} typed={table.id}>
            The table loses its {rows} and stays. A snapshot of them is kept before, so that they can be
            brought back.
          </Confirm>
        )}
        <Confirm id="delete" verb="Delete the table" to={`${at}/delete`} typed={table.id}>
          The table goes with its {rows}.{' '}
          {!table.isAlias &&
            'A snapshot is kept before, so that it can be brought back. Snapshots that were kept stay, too.'}
        </Confirm>
      </div>
    </>
  )
}
