import { type CommonField, commonFields } from '../common-fields.ts'
import { readable } from '../format.ts'
import { hideSealed } from '../hide-sealed.ts'

interface EditorFieldsProps {
  configuration: unknown
  /** What somebody wrote and was refused, in place of the configuration. */
  text?: string | undefined
}

/** The common keys of a configuration as fields, and all of it as JSON. Fields that are changed win over the JSON. */
export const EditorFields = ({ configuration, text }: EditorFieldsProps) => {
  const shown = hideSealed(configuration)
  return (
    <div class="both">
      <fieldset>
        <legend>Common settings</legend>
        <input type="hidden" name="was" value={JSON.stringify(shown)} />
        {commonFields(shown).map(field => (
          <Field field={field} />
        ))}
      </fieldset>
      <div>
        <label>
          All of it as JSON; Ctrl+Space completes
          <textarea name="configuration" rows={24} spellcheck={false}>
            {text ?? readable(shown)}
          </textarea>
        </label>
        <p class="hint" data-problem aria-live="polite"></p>
      </div>
    </div>
  )
}

const Field = ({ field: { name, label, kind, value, hint } }: { field: CommonField }) => (
  <label>
    {label}
    <input
      name={name}
      value={value}
      type={kind === 'secret' ? 'password' : 'text'}
      autocomplete={kind === 'secret' ? 'new-password' : 'off'}
      spellcheck={false}
    />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
)
