import type { ListedComponentBody } from '#lib/wire/component-body.ts'
import type {
  ConfigurationBody,
  ListedVersionBody,
  ScheduleBody,
  VersionBody,
} from '#lib/wire/configuration-body.ts'
import type { RunBody } from '#lib/wire/run-body.ts'
import { readable } from '../format.ts'
import { hideSealed } from '../hide-sealed.ts'
import { Empty, Facts, Grid, Problem } from '../layout.tsx'
import { Confirm, Time } from '../parts.tsx'
import { sideBySide } from '../side-by-side.ts'
import { ConfigurationRuns } from './configuration-runs.tsx'
import { type Draft, Editor } from './editor.tsx'
import { pathOf } from './links.tsx'

export const ConfigurationList = ({ components }: { components: readonly ListedComponentBody[] }) =>
  components.length === 0 ? (
    <Empty
      icon="plug"
      action={
        <a class="btn btn-primary" href="/console/configurations/new">
          Make one of a curl command
        </a>
      }
    >
      No configuration yet. One says which API is read, into which tables, and when.
    </Empty>
  ) : (
    components.map(component => (
      <section class="panel">
        <h2>{component.name || component.id}</h2>
        <Grid
          caption={`Configurations of ${component.id}`}
          head={['Configuration', 'Id', { number: 'Version' }, 'Last change', { number: 'Rows' }]}
        >
          {component.configurations.map(one => (
            <tr>
              <th scope="row">
                <a href={pathOf(component.id, one.id)}>{one.name || one.id}</a>
                {one.isDisabled && ' (disabled)'}
              </th>
              <td>{one.id}</td>
              <td class="number">{one.version}</td>
              <td>{one.changeDescription || '–'}</td>
              <td class="number">{one.rows?.length ?? 0}</td>
            </tr>
          ))}
        </Grid>
      </section>
    ))
  )

interface DetailProps {
  componentId: string
  configuration: ConfigurationBody
  versions: readonly ListedVersionBody[]
  /** Undefined: it cannot be read. */
  schedule: ScheduleBody | undefined
  /** Newest first. */
  runs: readonly RunBody[]
  draft?: Draft | undefined
}

export const ConfigurationDetail = (props: DetailProps) => {
  const { componentId, configuration, versions, schedule, runs, draft } = props
  const path = pathOf(componentId, configuration.id)
  return (
    <>
      <Facts
        of={[
          ['Component', componentId],
          ['Version', configuration.version],
          ['Created', <Time at={configuration.created} />],
          ['Enabled', configuration.isDisabled ? 'no' : 'yes'],
        ]}
      />
      <div class="actions">
        <a class="btn" href={`${path}/bench`}>
          Preview
        </a>
        <Toggle path={path} isDisabled={configuration.isDisabled} name="the configuration" />
        <Confirm id="delete" verb="Delete" action={`${path}/delete`}>
          {configuration.name || configuration.id} goes to the trash, with its schedule. The tables that it
          filled stay.
        </Confirm>
      </div>
      <h2>Schedule</h2>
      <ScheduleFacts schedule={schedule} />
      <h2>Configuration</h2>
      <Editor
        path={path}
        configuration={configuration.configuration}
        version={configuration.version}
        schema={`/console/components/${encodeURIComponent(componentId)}/schema`}
        draft={draft}
      />
      {configuration.rows.length > 0 && (
        <>
          <h2>Rows, in the order in which they run</h2>
          <RowList path={path} rows={configuration.rows} />
        </>
      )}
      <ConfigurationRuns runs={runs} />
      <State of={configuration.state} />
      <h2>Versions</h2>
      <Grid caption="Versions" head={['Version', 'When', 'By', 'What changed', 'Comparison']}>
        {versions.map(version => (
          <tr>
            <th scope="row">{version.version}</th>
            <td>
              <Time at={version.created} />
            </td>
            <td>{version.creatorToken.description}</td>
            <td>{version.changeDescription}</td>
            <td>
              {version.version !== configuration.version && (
                <a href={`${path}/versions/${version.version}`}>Compare with the current one</a>
              )}
            </td>
          </tr>
        ))}
      </Grid>
    </>
  )
}

const Toggle = ({ path, isDisabled, name }: { path: string; isDisabled: boolean; name: string }) => (
  <form method="post" action={`${path}/disabled`}>
    <input type="hidden" name="isDisabled" value={isDisabled ? '0' : '1'} />
    <button type="submit" aria-label={`${isDisabled ? 'Enable' : 'Disable'} ${name}`}>
      {isDisabled ? 'Enable' : 'Disable'}
    </button>
  </form>
)

const ScheduleFacts = ({ schedule }: { schedule: ScheduleBody | undefined }) => {
  if (schedule === undefined) return <Problem>The schedule cannot be read.</Problem>
  const { expression, timezone, isActive, nextTimes } = schedule
  if (expression === null)
    return (
      <Empty>
        None. A key <code>schedule</code> beside <code>parameters</code> gives it one:{' '}
        <code>{'{"expression": "cron(0 6 * * ? *)", "timezone": "Europe/Prague"}'}</code>
      </Empty>
    )
  return (
    <>
      <p>
        <code>{expression}</code>, {timezone}
        {!isActive && '; switched off'}
      </p>
      {nextTimes.length > 0 && (
        <ol>
          {nextTimes.map(time => (
            <li>
              <time datetime={time}>{localTime(time, timezone ?? 'UTC')}</time>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

const localTime = (time: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'long' }).format(
    new Date(time),
  )

const RowList = ({ path, rows }: { path: string; rows: ConfigurationBody['rows'] }) => (
  <Grid caption="Rows" head={['Row', 'Id', { number: 'Version' }, 'Order', 'Enabled']}>
    {rows.map((row, index) => (
      <tr>
        <th scope="row">
          <a href={`${path}/rows/${encodeURIComponent(row.id)}`}>{row.name || row.id}</a>
        </th>
        <td>{row.id}</td>
        <td class="number">{row.version}</td>
        <td>
          {index > 0 && (
            <form method="post" action={`${path}/order`}>
              <input type="hidden" name="rows" value={JSON.stringify(movedUp(rows, index))} />
              <button type="submit" aria-label={`Move ${row.name || row.id} up`}>
                Up
              </button>
            </form>
          )}
        </td>
        <td>
          {row.isDisabled ? 'no ' : 'yes '}
          <Toggle
            path={`${path}/rows/${encodeURIComponent(row.id)}`}
            isDisabled={row.isDisabled}
            name={row.name || row.id}
          />
        </td>
      </tr>
    ))}
  </Grid>
)

/** The ids with the one at this place before its neighbour. */
const movedUp = (rows: readonly { id: string }[], index: number): string[] => {
  const ids = rows.map(({ id }) => id)
  return [
    ...ids.slice(0, index - 1),
    ...ids.slice(index, index + 1),
    ...ids.slice(index - 1, index),
    ...ids.slice(index + 1),
  ]
}

interface RowProps {
  componentId: string
  configuration: ConfigurationBody
  row: ConfigurationBody['rows'][number]
  draft?: Draft | undefined
}

export const RowDetail = ({ componentId, configuration, row, draft }: RowProps) => {
  const path = pathOf(componentId, configuration.id)
  return (
    <>
      <Facts
        of={[
          ['Configuration', <a href={path}>{configuration.name || configuration.id}</a>],
          ['Version of the row', row.version],
          ['Enabled', row.isDisabled ? 'no' : 'yes'],
        ]}
      />
      <div class="actions">
        <a class="btn" href={`${path}/bench?rowId=${encodeURIComponent(row.id)}`}>
          Preview
        </a>
        <Toggle
          path={`${path}/rows/${encodeURIComponent(row.id)}`}
          isDisabled={row.isDisabled}
          name={row.name || row.id}
        />
      </div>
      <h2>Configuration of the row, merged over the root</h2>
      <Editor
        path={`${path}/rows/${encodeURIComponent(row.id)}`}
        configuration={row.configuration}
        version={configuration.version}
        draft={draft}
      />
      <State of={row.state} />
    </>
  )
}

/** What its runs remember; most of what has a state has a long one. */
const State = ({ of }: { of: ConfigurationBody['state'] }) =>
  Object.keys(of ?? {}).length === 0 ? null : (
    <details class="state">
      <summary>State that its runs keep</summary>
      <pre>{readable(hideSealed(of))}</pre>
    </details>
  )

interface ComparisonProps {
  path: string
  old: VersionBody
  current: ConfigurationBody
}

export const VersionComparison = ({ path, old, current }: ComparisonProps) => {
  const lines = sideBySide(
    readable(hideSealed(old.configuration)),
    readable(hideSealed(current.configuration)),
  )
  return (
    <>
      <p>
        Version {old.version} left, the current version {current.version} right.{' '}
        {lines.every(({ left, right }) => left === right) &&
          'Both have the same configuration: its name, its description, a row or a switch was changed.'}
      </p>
      <form method="post" action={`${path}/versions/${old.version}/rollback`} class="actions">
        <button type="submit">Go back to version {old.version}</button>
      </form>
      <Grid caption="Differences" head={[`Version ${old.version}`, `Version ${current.version}`]}>
        {lines.map(({ left, right }) => (
          <tr class={left === right ? '' : 'changed'}>
            <td class="code">{left ?? ''}</td>
            <td class="code">{right ?? ''}</td>
          </tr>
        ))}
      </Grid>
    </>
  )
}
