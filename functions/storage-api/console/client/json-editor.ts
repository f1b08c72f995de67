import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { colours, look } from './editor-look.ts'
import { createJsonCheck, type JsonProblem } from './json-check.ts'
import { completeJson } from './json-complete.ts'

/** Turns the fields of forms that hold JSON into editors that check while somebody types. */
export const watchJson = (): void => {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-json]')) {
    const field = form.querySelector('textarea')
    if (field !== null) openEditor(form, field)
  }
}

const openEditor = (form: HTMLFormElement, field: HTMLTextAreaElement): void => {
  const problem = form.querySelector('[data-problem]')
  let check = createJsonCheck(undefined)
  let known: object | undefined
  const say = (problems: readonly JsonProblem[]): void => {
    // What is no JSON is not sent; of all else the service decides.
    field.setCustomValidity(problems.find(({ isSyntax }) => isSyntax)?.message ?? '')
    if (problem) problem.textContent = problems[0]?.message ?? ''
  }
  const host = document.createElement('div')
  // A shadow root: there styles need no style elements, which the page's policy does not allow.
  const root = host.attachShadow({ mode: 'open' })
  field.parentElement?.after(host)
  const view = new EditorView({
    parent: root,
    root,
    doc: field.value,
    extensions: [
      lineNumbers(),
      history(),
      bracketMatching(),
      json(),
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      EditorView.contentAttributes.of({ 'aria-label': 'JSON of the configuration' }),
      // Tab leaves the editor, as it leaves every field.
      keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, ...completionKeymap]),
      autocompletion({ override: [context => completeJson(context, known)] }),
      lintGutter(),
      linter(({ state }): Diagnostic[] => {
        const problems = check(state)
        say(problems)
        return problems.map(({ from, to, message, isSyntax }) => ({
          from,
          to,
          message,
          severity: isSyntax ? 'error' : 'warning',
        }))
      }),
      EditorView.updateListener.of(update => {
        if (update.docChanged) field.value = update.state.doc.toString()
      }),
    ],
  })
  field.hidden = true
  const { schema } = form.dataset
  if (schema !== undefined)
    void loadSchema(schema).then(loaded => {
      known = loaded
      check = createJsonCheck(loaded)
      say(check(view.state))
    })
}

const loadSchema = async (address: string): Promise<object | undefined> => {
  const response = await fetch(address)
  return response.ok ? ((await response.json()) as object) : undefined // the service sends a schema
}
