import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import { isObject } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { type ApiClient, Refusal } from './api-client.ts'
import { readable } from './format.ts'
import { Field } from './forms.tsx'
import { Problem } from './parts.tsx'

/** What was sent and refused: it stays in the editor, and why. */
export interface Refused {
  text?: string
  problem?: string
  /** It cannot run, but may be stored. */
  mayBeDraft?: boolean
}

interface EditorProps extends Refused {
  /** Where it is sent. */
  to: string
  configuration: unknown
  look?: string
  /** Above the editor. */
  above?: Child
  /** Below it, with the buttons. */
  children?: Child
}

/** A configuration as JSON. Works as a plain form; a script makes an editor of it. */
export const Editor = (props: EditorProps) => {
  const { to, configuration, text, problem, look = '', above, children } = props
  return (
    <form method="post" action={to} class={`editor ${look}`} data-unsaved data-json>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {above}
      <div>
        <Field label="JSON" name="configuration" rows={24} value={text ?? readable(configuration)} />
      </div>
      {children}
    </form>
  )
}

export const refusedAs = (text: string, { message, code }: Refusal): Refused => ({
  text,
  problem: message,
  mayBeDraft: code.startsWith('extractor.'),
})

/** Below an editor whose configuration cannot run: stores it all the same. */
export const SaveAsDraft = ({ mayBeDraft = false }: Refused) =>
  mayBeDraft && (
    <button type="submit" name="draft" value="1">
      Save as draft
    </button>
  )

const changed = z.object({ warnings: configurationBody.shape.warnings })

/**
 * Sends a configuration, or a change of one. Resolves to what was done, in words, with what is wrong with it.
 *
 * @throws Refusal with the place, where it cannot run and is to be no draft
 */
export const store = async (
  client: ApiClient,
  method: 'POST' | 'PUT',
  at: string,
  { body, draft, version = '' }: { body: Record<string, unknown>; draft?: string; version?: string },
): Promise<string> => {
  const wishes = { version, handling: draft === undefined ? 'strict' : 'lenient' } as const
  const stored = await client.send(method, at, body, changed, wishes)
  return sayStored(draft === undefined ? 'It was saved.' : 'It was saved as a draft.', stored)
}

/** A cookie carries it to the next page. */
const MAX_SAID = 1000

export const sayStored = (text: string, { warnings = [] }: z.infer<typeof changed>): string =>
  [text, ...warnings.map(({ place, message }) => `${place}: ${message}`)].join(' ').slice(0, MAX_SAID)

/**
 * What somebody made of a configuration.
 *
 * @throws Refusal where it is no JSON object
 */
export const readEdited = ({ configuration = '' }: Readonly<Record<string, string>>) => {
  let value: unknown
  try {
    value = parseJson(configuration)
  } catch (error) {
    throw new Refusal(400, `This is not valid JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (!isObject(value)) throw new Refusal(400, 'A configuration is a JSON object.')
  return value
}
