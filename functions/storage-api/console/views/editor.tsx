import { Problem } from '../layout.tsx'
import { EditorFields } from './common-form.tsx'

/** What was sent and refused: it stays in the editor. */
export interface Draft {
  text: string
  problem: string
}

interface EditorProps {
  /** Where it is stored. */
  path: string
  configuration: unknown
  /** The version that is edited: another one in the meantime refuses the change. */
  version: number
  /** Where the JSON schema of `parameters` is. Default: any object is right. */
  schema?: string
  draft?: Draft | undefined
}

/** JSON to edit. Works as a plain form; a script makes an editor of it that checks while somebody types. */
export const Editor = ({ path, configuration, version, schema, draft }: EditorProps) => (
  <>
    {draft !== undefined && <Problem>{draft.problem}</Problem>}
    <form
      method="post"
      action={path}
      class="editor"
      data-unsaved
      data-json="configuration"
      data-schema={schema}
    >
      <EditorFields configuration={configuration} text={draft?.text} />
      <label>
        What changes, for the history
        <input name="changeDescription" />
      </label>
      <input type="hidden" name="version" value={version} />
      <button type="submit">Save</button>
    </form>
  </>
)
