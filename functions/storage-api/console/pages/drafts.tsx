import { z } from 'zod'
import { type DraftBody, draftBody, draftRemarks } from '#lib/extractor/run/preview-schemas.ts'
import { jobBody } from '#lib/wire/job-body.ts'
import { type ApiClient, path, Refusal } from '../api-client.ts'
import { Editor, type Refused, readEdited, refusedAs, SaveAsDraft, store } from '../configuration-editor.tsx'
import { Field, Hidden } from '../forms.tsx'
import { configurationPath, runPath } from '../links.tsx'
import { Icon, Problem } from '../parts.tsx'
import { Preview } from '../preview.tsx'
import { type Built, form, page } from '../route.ts'

type Form = Readonly<Record<string, string>>

export const NEW = '/console/configurations/new'
const COMPONENT = 'ex-generic-v2'
const title = 'New configuration'

const drafts = (client: ApiClient, body: Record<string, unknown>): Promise<DraftBody> =>
  client.send('POST', path`components/${COMPONENT}/drafts`, body, draftBody)

/** The page of a draft that was edited. What was guessed at its beginning stays beside it; what is no JSON stays in the editor, untried. */
const again = async (sent: Form, run: () => Promise<Built | DraftBody>): Promise<Built> => {
  const remarks = draftRemarks.parse(JSON.parse(sent['remarks'] || '[]'))
  const { name = '', configurationId = '', configuration: text = '' } = sent
  try {
    const come = await run()
    if (!('configurationId' in come)) return come
    return draftPage({ ...come, draft: come.draft && { ...come.draft, remarks } }, { name })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const nothing = { stoppedBy: null, error: null, tables: [], exchanges: [], jobs: [], log: [] }
    const draft = { ...nothing, configurationId, draft: { remarks, configuration: {} } }
    return draftPage(draft, { name, ...refusedAs(text, error) })
  }
}

/** Where a configuration begins: what somebody has at hand becomes a draft, which is tried and saved. */
export const draftPages = [
  page(NEW, async () => pastePage()),
  form(NEW, async ({ client, form: { text = '' } }) => {
    const isJson = text.trimStart().startsWith('{')
    const drafted = await drafts(client, isJson ? { configuration: text } : { text })
    return draftPage(drafted, { name: nameOf(drafted.draft?.configuration), pasted: text })
  }),
  form(`${NEW}/try`, ({ client, form: sent }) =>
    again(sent, async () =>
      drafts(client, { configurationId: sent['configurationId'] ?? '', configuration: readEdited(sent) }),
    ),
  ),
  form(`${NEW}/save`, ({ client, form: sent }) =>
    again(sent, async () => {
      const { name = '', configurationId = '', then, draft } = sent
      const configs = path`components/${COMPONENT}/configs`
      const body = { configurationId, name, configuration: readEdited(sent) }
      const text = await store(client, 'POST', configs, { body, ...(draft !== undefined && { draft }) })
      if (then !== 'run') return { redirect: configurationPath(COMPONENT, configurationId), said: { text } }
      const job = await client.send('POST', `${configs}${path`/${configurationId}/run`}`, {}, jobBody)
      return { redirect: runPath(`run-${job.id}`) }
    }),
  ),
]

/** The host of the API. */
const nameOf = (configuration: unknown): string => {
  const parts = z.object({ parameters: z.object({ api: z.object({ baseUrl: z.url() }) }) })
  const { data } = parts.safeParse(configuration)
  return data === undefined ? '' : new URL(data.parameters.api.baseUrl).hostname
}

const pastePage = ({ text = '', problem }: { text?: string; problem?: string } = {}): Built => ({
  title,
  body: (
    <form method="post" action={NEW} class="panel paste">
      {problem !== undefined && <Problem>{problem}</Problem>}
      <Field
        label="A curl command that works, or a configuration"
        name="text"
        rows={12}
        required
        placeholder="curl -H 'Authorization: Bearer …' https://api.example.com/v1/orders"
        value={text}
      />
      <div class="actions">
        <button type="submit" class="btn-primary">
          <Icon name="bolt" /> Make a configuration of it
        </button>
      </div>
      <p class="hint">
        A command is sent twice at most, and a preview asks for a few rows. Nothing is stored yet.
      </p>
    </form>
  ),
})

interface Edited extends Refused {
  name: string
  /** That the draft is made of. */
  pasted?: string
}

/** A draft in an editor, and beside it what it is made of and what comes of it. */
const draftPage = (drafted: DraftBody, { name, pasted = '', ...refused }: Edited): Built => {
  const { draft, configurationId, error } = drafted
  if (draft === undefined)
    return pastePage({ text: pasted, problem: error?.message ?? 'Nothing came of it.' })
  const { configuration, remarks } = draft
  const kept = {
    configurationId,
    remarks: JSON.stringify(remarks),
  }
  const body = (
    <div class="bench">
      <Editor
        to={`${NEW}/save`}
        look="panel"
        configuration={configuration}
        {...refused}
        above={
          <>
            <Hidden of={kept} />
            <Field label="Name" name="name" required maxlength={200} value={name} />
          </>
        }
      >
        <div class="actions">
          <button type="submit" class="btn-primary">
            Save
          </button>
          <button type="submit" name="then" value="run">
            Save and run
          </button>
          <SaveAsDraft {...refused} />
          <button type="submit" formaction={`${NEW}/try`}>
            Try it again
          </button>
        </div>
      </Editor>
      <div>
        {remarks.length > 0 && <Found remarks={remarks} />}
        <Preview preview={drafted} />
      </div>
    </div>
  )
  return { title, body }
}

const Found = ({ remarks }: Pick<NonNullable<DraftBody['draft']>, 'remarks'>) => (
  <section class="panel">
    <h2>What was guessed, and why</h2>
    <ul>
      {remarks.map(({ path: at, why }) => (
        <li>
          <code>{at}</code>: {why}
        </li>
      ))}
    </ul>
  </section>
)
