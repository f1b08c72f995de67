import type { Child } from 'hono/jsx'
import { readable } from './format.ts'
import { Field } from './forms.tsx'
import { hideSealed, parseObject, showSealed } from './hide-sealed.ts'
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
        <Field
          label="JSON; Ctrl+Space completes"
          name="configuration"
          rows={24}
          value={text ?? readable(hideSealed(configuration))}
        />
      </div>
      <p class="hint" data-problem aria-live="polite"></p>
      {children}
    </form>
  )
}

/**
 * What somebody made of a configuration.
 *
 * @param sealed what holds the sealed secrets that only their names are shown of
 * @throws Refusal where it is no JSON object, or names a secret that is not there
 */
export const readEdited = (form: Readonly<Record<string, string>>, sealed: unknown) =>
  showSealed(parseObject(form['configuration'] ?? ''), sealed)
