import { listedComponentBody } from '#lib/wire/component-body.ts'
import { type ConfigurationBody, configurationBody, listedVersionBody } from '#lib/wire/configuration-body.ts'
import { runBody } from '#lib/wire/run-body.ts'
import { scheduleBody } from '#lib/wire/schedule-body.ts'
import { type ApiClient, path, query, Refusal } from '../api-client.ts'
import { Editor, type Refused, SaveAsDraft } from '../configuration-editor.tsx'
import { RowList, Schedules, State, Toggle } from '../configuration-parts.tsx'
import { Act, Confirm, Hidden } from '../forms.tsx'
import { configurationPath } from '../links.tsx'
import { List } from '../list.tsx'
import { Empty, Facts, Icon, Time } from '../parts.tsx'
import { type Built, page } from '../route.ts'
import { WorkList, workOf } from '../work-list.tsx'
import { NEW } from './drafts.tsx'

const RUNS_SHOWN = 10

export const CONFIGURATIONS = '/console/configurations'
export const CONFIGURATION = `${CONFIGURATIONS}/:component/:id` as const
export const ROW = `${CONFIGURATION}/rows/:row` as const

/** What the path of a configuration's page names. */
export interface Place {
  component: string
  id: string
}

/** Of a route of the API. */
export const apiPath = ({ component, id }: Place): string => path`components/${component}/configs/${id}`

export const pagePath = ({ component, id }: Place): string => configurationPath(component, id)

export const stored = (client: ApiClient, place: Place): Promise<ConfigurationBody> =>
  client.get(apiPath(place), configurationBody)

export const configurationPages = [
  page(CONFIGURATIONS, async ({ client }) => {
    const components = await client.list('components?include=configuration,rows', listedComponentBody)
    return {
      title: 'Configurations',
      action: (
        <a class="btn btn-primary" href={NEW}>
          <Icon name="plus" /> New configuration
        </a>
      ),
      body: (
        <>
          {components.length === 0 && (
            <Empty icon="plug">
              No configuration yet. One says which API is read, into which tables, and when.
            </Empty>
          )}
          {components.map(({ id: component, name, configurations }) => (
            <section class="panel">
              <h2>{name || component}</h2>
              <List
                caption={`Configurations of ${component}`}
                of={configurations}
                columns={[
                  [
                    'Configuration',
                    one => [
                      <a href={configurationPath(component, one.id)}>{one.name || one.id}</a>,
                      one.isDisabled && ' (disabled)',
                    ],
                    'name',
                  ],
                  ['Id', ({ id }) => id],
                  ['Version', ({ version }) => version, 'number'],
                  ['Last change', ({ changeDescription }) => changeDescription || '–'],
                  ['Rows', ({ rows }) => rows?.length ?? 0, 'number'],
                ]}
              />
            </section>
          ))}
        </>
      ),
    }
  }),
  page(CONFIGURATION, ({ client, params }) => configurationPage(client, params)),
  page(ROW, ({ client, params }) => rowPage(client, params)),
]

export const configurationPage = async (
  client: ApiClient,
  place: Place,
  refused: Refused = {},
): Promise<Built> => {
  const { component, id } = place
  const [configuration, versions, schedules, runs] = await Promise.all([
    stored(client, place),
    client.list(`${apiPath(place)}/versions`, listedVersionBody),
    client.list(
      `/scheduler/schedules${query({ componentId: component, configurationId: id })}`,
      scheduleBody,
    ),
    client.list(`runs${query({ componentId: component, configId: id, limit: RUNS_SHOWN })}`, runBody),
  ])
  const at = pagePath(place)
  const { version, isDisabled, rows } = configuration
  const name = configuration.name || id
  return {
    title: name,
    action: <Act to={`${at}/run`} verb="Run now" look="btn-primary" />,
    body: (
      <>
        <Facts
          of={[
            ['Component', component],
            ['Version', version],
            ['Created', <Time at={configuration.created} />],
            ['Enabled', isDisabled ? 'no' : 'yes'],
          ]}
        />
        <div class="actions">
          <Act to={`${at}/bench`} verb="Preview" />
          <Toggle at={at} isDisabled={isDisabled} name="the configuration" />
          <Confirm id="delete" verb="Delete" to={`${at}/delete`}>
            {name} goes to the trash, with its schedule. The tables that it filled stay.
          </Confirm>
        </div>
        <h2>Schedule</h2>
        <Schedules of={schedules} />
        <h2>Configuration</h2>
        <StoredEditor to={at} of={configuration.configuration} version={version} refused={refused} />
        {rows.length > 0 && <RowList at={at} rows={rows} />}
        <h2>Runs</h2>
        <WorkList
          of={workOf([], runs, new Map([[apiPath(place), name]]))}
          empty={<Empty>It has not run yet.</Empty>}
        />
        <State of={configuration.state} />
        <h2>Versions</h2>
        <List
          caption="Versions"
          of={versions}
          columns={[
            ['Version', each => each.version, 'name'],
            ['When', ({ created }) => <Time at={created} />],
            ['By', ({ creatorToken }) => creatorToken.description],
            ['What changed', ({ changeDescription }) => changeDescription],
            ['Action', each => each.version !== version && <GoBack at={at} to={each.version} />],
          ]}
        />
      </>
    ),
  }
}

const GoBack = ({ at, to }: { at: string; to: number }) => (
  <Act to={`${at}/versions/${to}/rollback`} verb={`Go back to version ${to}`} label="Go back" />
)

export const rowPage = async (
  client: ApiClient,
  { row: rowId, ...place }: Place & { row: string },
  refused: Refused = {},
): Promise<Built> => {
  const configuration = await stored(client, place)
  const row = configuration.rows.find(({ id }) => id === rowId)
  if (row === undefined) throw new Refusal(404, `The configuration has no row ${rowId}.`)
  const at = pagePath(place)
  const own = at + path`/rows/${row.id}`
  const name = row.name || row.id
  return {
    title: name,
    crumbs: [[at, configuration.name || configuration.id]],
    body: (
      <>
        <Facts
          of={[
            ['Version of the row', row.version],
            ['Enabled', row.isDisabled ? 'no' : 'yes'],
          ]}
        />
        <div class="actions">
          <Act to={`${at}/bench`} fields={{ rowId: row.id }} verb="Preview" />
          <Toggle at={own} isDisabled={row.isDisabled} name={name} />
        </div>
        <h2>Configuration of the row, merged over the root</h2>
        <StoredEditor to={own} of={row.configuration} version={configuration.version} refused={refused} />
        <State of={row.state} />
      </>
    ),
  }
}

interface StoredEditorProps {
  to: string
  of: unknown
  /** The version that is edited: another one in the meantime refuses the change. */
  version: number
  refused: Refused
}

const StoredEditor = ({ to, of, version, refused }: StoredEditorProps) => (
  <Editor to={to} configuration={of} {...refused}>
    <label>
      What changes, for the history
      <input name="changeDescription" />
    </label>
    <Hidden of={{ version: String(version) }} />
    <div class="actions">
      <button type="submit" class="btn-primary">
        Save
      </button>
      <SaveAsDraft {...refused} />
    </div>
  </Editor>
)
