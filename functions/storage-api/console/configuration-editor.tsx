import type { Child } from 'hono/jsx'
import { isObject } from '../../lib/json/json-value.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { Refusal } from './api-client.ts'
import { readable } from './format.ts'
import { Field } from './forms.tsx'
import { Problem } from './parts.tsx'

interface EditorProps {
  /** Where it is sent. */
  to: string
  configuration: unknown
  /** What somebody wrote and was refused, in place of the configuration, and why. */
  text?: string | undefined
  problem?: string | undefined
  /** Where the JSON schema of `parameters` is. Default: any object is right. */
  schema?: string
  look?: string
  /** Above the editor. */
  above?: Child
  /** Below it, with the buttons. */
  children?: Child
}

/** A configuration as JSON. Works as a plain form; a script makes an editor of it that checks while somebody types. */
export const Editor = (props: EditorProps) => {
  const { to, configuration, text, problem, schema, look = '', above, children } = props
  return (
    <form
      method="post"
      action={to}
      class={`editor ${look}`}
      data-unsaved
      data-json="configuration"
      data-schema={schema}
    >
      {problem !== undefined && <Problem>{problem}</Problem>}
      {above}
      <div>
        <Field label="JSON" name="configuration" rows={24} value={text ?? readable(configuration)} />
      </div>
      <p class="hint" data-problem aria-live="polite"></p>
      {children}
    </form>
  )
}

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
