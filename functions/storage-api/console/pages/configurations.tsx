import { previewResult } from '#lib/extractor/run/preview/preview-schemas.ts'
import { listedComponentBody } from '#lib/wire/component-body.ts'
import {
  configurationBody,
  listedVersionBody,
  scheduleBody,
  versionBody,
} from '#lib/wire/configuration-body.ts'
import { runBody } from '#lib/wire/run-body.ts'
import { type ApiClient, query, Refusal } from '../api-client.ts'
import type { Built, PageRoute } from '../built.ts'
import { Icon } from '../parts.tsx'
import { Bench } from '../views/bench.tsx'
import {
  ConfigurationDetail,
  ConfigurationList,
  RowDetail,
  VersionComparison,
} from '../views/configurations.tsx'
import type { Draft } from '../views/editor.tsx'
import { pathOf, RunButton } from '../views/links.tsx'
import { NEW } from '../views/new-configuration.tsx'
import { newConfigurationPages } from './new-configuration.tsx'

type Params = Record<string, string>

export const CONFIGURATION = '/console/configurations/:component/:id'
const DEFAULT_ROWS = '10'
const RUNS_SHOWN = 10

const at = '/console/configurations'

/** Of a route of the API, from the path of a page. */
export const configurationPath = ({ component = '', id = '' }: Params): string =>
  `components/${encodeURIComponent(component)}/configs/${encodeURIComponent(id)}`

export const configurationOf = (client: ApiClient, params: Params) =>
  client.get(configurationPath(params), configurationBody)

const scheduleOf = async (client: ApiClient, params: Params) => {
  try {
    return await client.get(`${configurationPath(params)}/schedule`, scheduleBody)
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return undefined
    throw error
  }
}

/** The page of a configuration, with what was sent and refused in its editor. */
export const configurationPage = async (client: ApiClient, params: Params, draft?: Draft): Promise<Built> => {
  const { component = '', id = '' } = params
  const [configuration, versions, schedule, runs] = await Promise.all([
    configurationOf(client, params),
    client.list(`${configurationPath(params)}/versions`, listedVersionBody),
    scheduleOf(client, params),
    client.list(`runs${query({ componentId: component, configId: id, limit: RUNS_SHOWN })}`, runBody),
  ])
  const props = { configuration, versions, schedule, runs, draft }
  return {
    title: configuration.name || id,
    action: <RunButton path={pathOf(component, id)} verb="Run now" />,
    body: <ConfigurationDetail componentId={component} {...props} />,
  }
}

export const rowPage = async (client: ApiClient, params: Params, draft?: Draft): Promise<Built> => {
  const configuration = await configurationOf(client, params)
  const row = configuration.rows.find(({ id }) => id === params['row'])
  if (row === undefined) throw new Refusal(404, `The configuration has no row ${params['row']}.`)
  const { component = '' } = params
  return {
    title: row.name || row.id,
    crumbs: [[pathOf(component, configuration.id), configuration.name || configuration.id]],
    body: <RowDetail componentId={component} configuration={configuration} row={row} draft={draft} />,
  }
}

/** The bench, with the preview of a row when one was asked for. */
export const benchPage = async (
  client: ApiClient,
  params: Params,
  { rowId = '', rows = DEFAULT_ROWS, isPreview }: { rowId?: string; rows?: string; isPreview: boolean },
): Promise<Built> => {
  const path = configurationPath(params)
  const body = { rows, ...(rowId !== '' && { rowId }) }
  const [configuration, preview] = await Promise.all([
    configurationOf(client, params),
    isPreview ? client.send('POST', `${path}/preview`, body, previewResult) : undefined,
  ])
  const { component = '', id = '' } = params
  return {
    title: `Try ${configuration.name || id}`,
    crumbs: [[pathOf(component, id), configuration.name || id]],
    body: (
      <Bench
        path={pathOf(component, id)}
        rowsOf={configuration.rows.filter(row => !row.isDisabled || row.id === rowId)}
        rowId={rowId}
        rows={rows}
        preview={preview}
      />
    ),
  }
}

export const configurationPages: readonly PageRoute[] = [
  ...newConfigurationPages,
  {
    path: '/console/configurations',
    at,
    build: async client => {
      const components = await client.list('components?include=configuration,rows', listedComponentBody)
      const action = (
        <a class="btn btn-primary" href={NEW}>
          <Icon name="plus" /> New configuration
        </a>
      )
      return { title: 'Configurations', action, body: <ConfigurationList components={components} /> }
    },
  },
  { path: CONFIGURATION, at, build: (client, { params }) => configurationPage(client, params) },
  {
    path: `${CONFIGURATION}/bench`,
    at,
    build: (client, { params, query: { rowId = '' } }) =>
      benchPage(client, params, { rowId, isPreview: false }),
  },
  { path: `${CONFIGURATION}/rows/:row`, at, build: (client, { params }) => rowPage(client, params) },
  {
    path: `${CONFIGURATION}/versions/:version`,
    at,
    build: async (client, { params }) => {
      const { component = '', id = '', version = '' } = params
      const [current, old] = await Promise.all([
        configurationOf(client, params),
        client.get(`${configurationPath(params)}/versions/${encodeURIComponent(version)}`, versionBody),
      ])
      return {
        title: `${current.name || id}: version ${version}`,
        crumbs: [[pathOf(component, id), current.name || id]],
        body: <VersionComparison path={pathOf(component, id)} old={old} current={current} />,
      }
    },
  },
]
