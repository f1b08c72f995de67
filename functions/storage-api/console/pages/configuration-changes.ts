import { rolledBackBody } from '#lib/wire/configuration-body.ts'
import { jobBody } from '#lib/wire/job-body.ts'
import { type ApiClient, path, Refusal } from '../api-client.ts'
import { type Refused, readEdited, refusedAs, sayStored, store } from '../configuration-editor.tsx'
import { runPath } from '../links.tsx'
import { type Built, form } from '../route.ts'
import {
  apiPath,
  CONFIGURATION,
  CONFIGURATIONS,
  configurationPage,
  type Place,
  pagePath,
  ROW,
  rowPage,
  stored,
} from './configurations.tsx'

interface Saved {
  client: ApiClient
  params: Place
  form: Record<string, string>
}

/** Stores what was edited; what is refused stays in the editor. */
const save = async (
  { client, params, form: sent }: Saved,
  at: string,
  again: (refused: Refused) => Promise<Built>,
): Promise<Built> => {
  const { configuration = '', changeDescription = '', ...wishes } = sent
  try {
    const body = { configuration: readEdited(sent), ...(changeDescription !== '' && { changeDescription }) }
    const text = await store(client, 'PUT', at, { ...wishes, body })
    return { redirect: pagePath(params), said: { text } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return again(refusedAs(configuration, error))
  }
}

/** What cannot run is not enabled. */
const setDisabled = async ({ client, params, form }: Saved, at: string): Promise<Built> => {
  await store(client, 'PUT', at, { body: { isDisabled: form['isDisabled'] === '1' } })
  return { redirect: pagePath(params) }
}

const rowApiPath = (place: Place & { row: string }): string => apiPath(place) + path`/rows/${place.row}`

export const configurationForms = [
  form(CONFIGURATION, asked =>
    save(asked, apiPath(asked.params), refused => configurationPage(asked.client, asked.params, refused)),
  ),
  form(ROW, asked =>
    save(asked, rowApiPath(asked.params), refused => rowPage(asked.client, asked.params, refused)),
  ),
  form(`${CONFIGURATION}/run`, async ({ client, params }) => {
    const job = await client.send('POST', `${apiPath(params)}/run`, {}, jobBody)
    return { redirect: runPath(`run-${job.id}`) }
  }),
  form(`${CONFIGURATION}/delete`, async ({ client, params }) => {
    const { name, id } = await stored(client, params)
    await client.send('DELETE', apiPath(params))
    const undo = { action: `${pagePath(params)}/restore` }
    return { redirect: CONFIGURATIONS, said: { text: `${name || id} is in the trash.`, undo } }
  }),
  form(`${CONFIGURATION}/restore`, async ({ client, params }) => {
    await client.send('POST', `${apiPath(params)}/restore`)
    return { redirect: pagePath(params) }
  }),
  form(`${CONFIGURATION}/disabled`, asked => setDisabled(asked, apiPath(asked.params))),
  form(`${ROW}/disabled`, asked => setDisabled(asked, rowApiPath(asked.params))),
  form(`${CONFIGURATION}/versions/:version/rollback`, async ({ client, params }) => {
    const before = (await stored(client, params)).version
    const at = apiPath(params) + path`/versions/${params.version}/rollback`
    const back = await client.send('POST', at, {}, rolledBackBody)
    const undo = { action: `${pagePath(params)}/versions/${before}/rollback` }
    const text = sayStored(`It is as in version ${params.version}.`, back)
    return { redirect: pagePath(params), said: { text, undo } }
  }),
]
