import { z } from 'zod'
import { jobBody } from '#lib/wire/job-body.ts'
import { type ApiClient, Refusal } from '../api-client.ts'
import type { ActionRoute, Built } from '../built.ts'
import { applyFields } from '../common-fields.ts'
import { parseObject, showSealed } from '../hide-sealed.ts'
import {
  benchPage,
  CONFIGURATION,
  configurationOf,
  configurationPage,
  configurationPath,
  rowPage,
} from '../pages/configurations.tsx'
import type { Draft } from '../views/editor.tsx'
import { pathOf } from '../views/links.tsx'

type Params = Record<string, string>
type Form = Record<string, string>

const at = '/console/configurations'

const backTo = ({ component = '', id = '' }: Params): Built => ({ redirect: pathOf(component, id) })

const rowPath = (params: Params): string =>
  `${configurationPath(params)}/rows/${encodeURIComponent(params['row'] ?? '')}`

/** Stores what was edited; what is refused stays in the editor. */
const save = async (
  client: ApiClient,
  { params, form, path }: { params: Params; form: Form; path: string },
  again: (draft: Draft) => Promise<Built>,
): Promise<Built> => {
  const { configuration: text = '', changeDescription = '', version = '' } = form
  try {
    const stored = await configurationOf(client, params)
    const edited = applyFields(showSealed(parseObject(text), [stored.configuration, stored.rows]), form)
    const body = { configuration: edited, ...(changeDescription !== '' && { changeDescription }) }
    await client.send('PUT', path, body, z.unknown(), version)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return again({ text, problem: error.message })
  }
  return backTo(params)
}

export const configurationActions: readonly ActionRoute[] = [
  {
    path: CONFIGURATION,
    at,
    act: (client, { params, form }) =>
      save(client, { params, form, path: configurationPath(params) }, draft =>
        configurationPage(client, params, draft),
      ),
  },
  {
    path: `${CONFIGURATION}/rows/:row`,
    at,
    act: (client, { params, form }) =>
      save(client, { params, form, path: rowPath(params) }, draft => rowPage(client, params, draft)),
  },
  {
    path: `${CONFIGURATION}/run`,
    at,
    act: async (client, { params }) => {
      const job = await client.send('POST', `${configurationPath(params)}/run`, {}, jobBody)
      return { redirect: `/console/runs/run-${job.id}` }
    },
  },
  {
    path: `${CONFIGURATION}/delete`,
    at,
    act: async (client, { params }) => {
      const { name, id } = await configurationOf(client, params)
      await client.send('DELETE', configurationPath(params), {}, z.unknown())
      const { component = '' } = params
      return {
        redirect: at,
        said: {
          text: `${name || id} is in the trash.`,
          undo: { action: `${pathOf(component, id)}/restore` },
        },
      }
    },
  },
  {
    path: `${CONFIGURATION}/restore`,
    at,
    act: async (client, { params }) => {
      await client.send('POST', `${configurationPath(params)}/restore`, {}, z.unknown())
      return backTo(params)
    },
  },
  {
    path: `${CONFIGURATION}/bench`,
    at,
    act: (client, { params, form: { rowId = '', rows = '' } }) =>
      benchPage(client, params, { rowId, rows, isPreview: true }),
  },
  {
    path: `${CONFIGURATION}/disabled`,
    at,
    act: async (client, { params, form }) => {
      await client.send(
        'PUT',
        configurationPath(params),
        { isDisabled: form['isDisabled'] === '1' },
        z.unknown(),
      )
      return backTo(params)
    },
  },
  {
    path: `${CONFIGURATION}/rows/:row/disabled`,
    at,
    act: async (client, { params, form }) => {
      await client.send('PUT', rowPath(params), { isDisabled: form['isDisabled'] === '1' }, z.unknown())
      return backTo(params)
    },
  },
  {
    path: `${CONFIGURATION}/order`,
    at,
    act: async (client, { params, form }) => {
      const rowsSortOrder = z.array(z.string()).parse(JSON.parse(form['rows'] || '[]'))
      await client.send('PUT', configurationPath(params), { rowsSortOrder }, z.unknown())
      return backTo(params)
    },
  },
  {
    path: `${CONFIGURATION}/versions/:version/rollback`,
    at,
    act: async (client, { params }) => {
      const { component = '', id = '', version = '' } = params
      const before = (await configurationOf(client, params)).version
      const path = `${configurationPath(params)}/versions/${encodeURIComponent(version)}/rollback`
      await client.send('POST', path, {}, z.unknown())
      const undo = { action: `${pathOf(component, id)}/versions/${before}/rollback` }
      return { redirect: pathOf(component, id), said: { text: `It is as in version ${version}.`, undo } }
    },
  },
]
