import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { openEditor } from './editor.ts'

/** Turns the field of a form that holds JSON into an editor that shows where it is none. All else the service says when it is stored. */
export const watchJson = (): void => {
  const field = document.querySelector<HTMLTextAreaElement>('form[data-json] textarea')
  if (field)
    openEditor(field, 'JSON of the configuration', [
      json(),
      EditorState.tabSize.of(2),
      keymap.of(lintKeymap),
      lintGutter(),
      linter(jsonParseLinter()),
    ])
}
