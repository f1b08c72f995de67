import { z } from 'zod'
import { type DraftBody, draftBody, draftRemarks } from '#lib/extractor/run/preview/preview-schemas.ts'
import { jobBody } from '#lib/wire/job-body.ts'
import { type ApiClient, Refusal } from '../api-client.ts'
import type { ActionRoute, Built, PageRoute } from '../built.ts'
import { applyFields } from '../common-fields.ts'
import { parseObject, showSealed } from '../hide-sealed.ts'
import { pathOf } from '../views/links.tsx'
import { DraftPage, NEW, PasteForm } from '../views/new-configuration.tsx'

type Form = Record<string, string>

const at = '/console/configurations'
const COMPONENT = 'ex-generic-v2'
const title = 'New configuration'

const draftOf = (client: ApiClient, body: Record<string, unknown>): Promise<DraftBody> =>
  client.send('POST', `components/${COMPONENT}/drafts`, body, draftBody)

export const newConfigurationPages: readonly PageRoute[] = [
  { path: NEW, at, build: async () => ({ title, body: <PasteForm /> }) },
]

/** What a form has of a draft: its text, its fields, and the secrets that are only named in it. */
const readDraft = (form: Form): Record<string, unknown> => {
  const sealed = z.array(z.string()).parse(JSON.parse(form['sealed'] || '[]'))
  const edited = showSealed(parseObject(form['configuration'] ?? ''), sealed)
  return applyFields(edited, form) as Record<string, unknown> // an object stays one
}

const remarksIn = (form: Form) => draftRemarks.parse(JSON.parse(form['remarks'] || '[]'))

/** The page of a draft that was edited, tried anew. What was guessed at its beginning stays beside it. */
const again = async (
  client: ApiClient,
  form: Form,
  configuration: Record<string, unknown>,
  problem?: string,
): Promise<Built> => {
  const { name = '', configurationId = '' } = form
  const drafted = await draftOf(client, { configurationId, configuration })
  const draft = drafted.draft && { ...drafted.draft, remarks: remarksIn(form) }
  return { title, body: <DraftPage draft={{ ...drafted, draft }} name={name} problem={problem} /> }
}

/** What is no JSON stays in the editor, with nothing tried. */
const refused = (form: Form, error: unknown): Built => {
  if (!(error instanceof Refusal)) throw error
  const { name = '', configurationId = '', configuration: text = '' } = form
  const nothing = { stoppedBy: null, error: null, tables: [], exchanges: [], jobs: [], log: [] }
  const draft = { remarks: remarksIn(form), configuration: {} }
  const props = { draft: { ...nothing, configurationId, draft }, name, text, problem: error.message }
  return { title, body: <DraftPage {...props} /> }
}

export const newConfigurationActions: readonly ActionRoute[] = [
  {
    path: NEW,
    at,
    act: async (client, { form: { text = '' } }) => {
      const drafted = await draftOf(
        client,
        text.trimStart().startsWith('{') ? { configuration: text } : { text },
      )
      const { draft, error } = drafted
      if (draft === undefined)
        return { title, body: <PasteForm text={text} problem={error?.message ?? 'Nothing came of it.'} /> }
      return { title, body: <DraftPage draft={drafted} name={nameOf(draft.configuration)} /> }
    },
  },
  {
    path: `${NEW}/try`,
    at,
    act: async (client, { form }) => {
      try {
        return await again(client, form, readDraft(form))
      } catch (error) {
        return refused(form, error)
      }
    },
  },
  {
    path: `${NEW}/save`,
    at,
    act: async (client, { form }) => {
      const { name = '', configurationId = '', then } = form
      const path = `components/${COMPONENT}/configs`
      try {
        const configuration = readDraft(form)
        await client.send('POST', path, { configurationId, name, configuration }, z.unknown())
      } catch (error) {
        return refused(form, error)
      }
      if (then !== 'run') return { redirect: pathOf(COMPONENT, configurationId) }
      const job = await client.send('POST', `${path}/${encodeURIComponent(configurationId)}/run`, {}, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
]

/** The host of the API. */
const nameOf = ({ parameters }: Record<string, unknown>): string => {
  const { data } = z.object({ api: z.object({ baseUrl: z.url() }) }).safeParse(parameters)
  return data === undefined ? '' : new URL(data.api.baseUrl).hostname
}
