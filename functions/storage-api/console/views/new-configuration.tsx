import type { DraftBody } from '#lib/extractor/run/preview/preview-schemas.ts'
import { hiddenSecrets } from '../hide-sealed.ts'
import { Problem } from '../layout.tsx'
import { Icon } from '../parts.tsx'
import { Preview } from './bench.tsx'
import { EditorFields } from './common-form.tsx'

export const NEW = '/console/configurations/new'
const SCHEMA = '/console/components/ex-generic-v2/schema'

/** Where a configuration begins: what somebody has at hand. */
export const PasteForm = ({ text = '', problem }: { text?: string; problem?: string }) => (
  <form method="post" action={NEW} class="panel paste">
    {problem !== undefined && <Problem>{problem}</Problem>}
    <label>
      A curl command that works, or a configuration
      <textarea
        name="text"
        rows={12}
        required
        spellcheck={false}
        placeholder="curl -H 'Authorization: Bearer …' https://api.example.com/v1/orders"
      >
        {text}
      </textarea>
    </label>
    <div class="actions">
      <button type="submit" class="btn-primary">
        <Icon name="bolt" /> Make a configuration of it
      </button>
    </div>
    <p class="hint">
      A command is sent twice at most, and a preview asks for a few rows. Nothing is stored yet.
    </p>
  </form>
)

interface DraftPageProps {
  draft: DraftBody
  name: string
  /** What was written and refused. */
  text?: string | undefined
  problem?: string | undefined
}

/** A draft in an editor, and beside it what it is made of and what comes of it. */
export const DraftPage = ({ draft: drafted, name, text, problem }: DraftPageProps) => {
  const { draft, configurationId } = drafted
  if (draft === undefined) return <PasteForm problem={drafted.error?.message ?? 'Nothing came of it.'} />
  return (
    <div class="bench">
      <form
        method="post"
        action={`${NEW}/save`}
        class="editor panel"
        data-unsaved
        data-json="configuration"
        data-schema={SCHEMA}
      >
        {problem !== undefined && <Problem>{problem}</Problem>}
        <input type="hidden" name="configurationId" value={configurationId} />
        <input type="hidden" name="sealed" value={JSON.stringify(hiddenSecrets(draft.configuration))} />
        <input type="hidden" name="remarks" value={JSON.stringify(draft.remarks)} />
        <label>
          Name
          <input name="name" required maxlength={200} value={name} />
        </label>
        <EditorFields configuration={draft.configuration} text={text} />
        <div class="actions">
          <button type="submit" class="btn-primary">
            Save
          </button>
          <button type="submit" name="then" value="run">
            Save and run
          </button>
          <button type="submit" formaction={`${NEW}/try`}>
            Try it again
          </button>
        </div>
      </form>
      <div>
        {draft.remarks.length > 0 && <Found remarks={draft.remarks} />}
        <Preview preview={drafted} />
      </div>
    </div>
  )
}

const Found = ({ remarks }: Pick<NonNullable<DraftBody['draft']>, 'remarks'>) => (
  <section class="panel">
    <h2>What was guessed, and why</h2>
    <ul>
      {remarks.map(({ path, why }) => (
        <li>
          <code>{path}</code>: {why}
        </li>
      ))}
    </ul>
  </section>
)
