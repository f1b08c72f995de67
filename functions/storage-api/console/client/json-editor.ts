import { json } from '@codemirror/lang-json'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { openEditor } from './editor.ts'
import { checkJson } from './json-check.ts'
import type { Schema } from './json-schema.ts'

/** Turns the field of a form that holds JSON into an editor that checks while somebody types. */
export const watchJson = async (): Promise<void> => {
  const form = document.querySelector<HTMLFormElement>('form[data-json]')
  const field = form?.querySelector('textarea')
  const problem = form?.querySelector('[data-problem]')
  if (!form || !field || !problem) return
  const schema = await loadSchema(form.dataset['schema'])
  openEditor(field, 'JSON of the configuration', [
    json(),
    EditorState.tabSize.of(2),
    keymap.of(lintKeymap),
    lintGutter(),
    linter(({ state }): Diagnostic[] => {
      const problems = checkJson(state, schema)
      // What is no JSON is not sent; of all else the service decides.
      field.setCustomValidity(problems.find(({ isSyntax }) => isSyntax)?.message ?? '')
      problem.textContent = problems[0]?.message ?? ''
      return problems.map(({ from, to, message, isSyntax }) => ({
        from,
        to,
        message,
        severity: isSyntax ? 'error' : 'warning',
      }))
    }),
  ])
}

/** None where the service has none: any object is right then. */
const loadSchema = async (address: string | undefined): Promise<Schema | undefined> => {
  const response = address === undefined ? undefined : await fetch(address)
  return response?.ok ? ((await response.json()) as Schema) : undefined // the service sends a schema
}
