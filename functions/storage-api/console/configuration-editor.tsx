import type { Child } from 'hono/jsx'
import { applyFields, type CommonField, commonFields } from './common-fields.ts'
import { readable } from './format.ts'
import { Field, Hidden } from './forms.tsx'
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

/**
 * The common keys of a configuration as fields, and all of it as JSON. Works as a plain form; a script makes an editor of it that checks while
 * somebody types.
 */
export const Editor = (props: EditorProps) => {
  const { to, configuration, text, problem, schema, look = '', above, children } = props
  const shown = hideSealed(configuration)
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
      <div class="both">
        <fieldset>
          <legend>Common settings</legend>
          <Hidden of={{ was: JSON.stringify(shown) }} />
          {commonFields(shown).map(field => (
            <CommonInput field={field} />
          ))}
        </fieldset>
        <div>
          <Field
            label="All of it as JSON; Ctrl+Space completes"
            name="configuration"
            rows={24}
            value={text ?? readable(shown)}
          />
          <p class="hint" data-problem aria-live="polite"></p>
        </div>
      </div>
      {children}
    </form>
  )
}

const CommonInput = ({ field: { kind, ...field } }: { field: CommonField }) => (
  <Field
    {...field}
    type={kind === 'secret' ? 'password' : 'text'}
    autocomplete={kind === 'secret' ? 'new-password' : 'off'}
    spellcheck={false}
  />
)

/**
 * What somebody made of a configuration. Fields that were changed win over the JSON.
 *
 * @param sealed what holds the sealed secrets that only their names are shown of
 * @throws Refusal where it is no JSON object, or names a secret that is not there
 */
export const readEdited = (form: Readonly<Record<string, string>>, sealed: unknown) =>
  applyFields(showSealed(parseObject(form['configuration'] ?? ''), sealed), form)
