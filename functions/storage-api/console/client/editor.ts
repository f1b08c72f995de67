import { completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Puts an editor in place of a field, which goes on holding the text. */
export const openEditor = (
  field: HTMLTextAreaElement,
  name: string,
  extensions: readonly Extension[],
): EditorView => {
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
      ...extensions,
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': name }),
      // Tab leaves the editor, as it leaves every field.
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.updateListener.of(update => {
        if (update.docChanged) field.value = update.state.doc.toString()
      }),
    ],
  })
  field.hidden = true
  return view
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: 'var(--busy)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
])

const look = EditorView.theme({
  '&': {
    color: 'var(--tblr-body-color)',
    backgroundColor: 'var(--tblr-bg-forms)',
    border: '1px solid var(--tblr-border-color)',
    borderRadius: 'var(--tblr-border-radius)',
  },
  '&.cm-focused': { outline: '2px solid var(--tblr-primary)' },
  '.cm-content': {
    fontFamily: 'ui-monospace, monospace',
    caretColor: 'var(--tblr-body-color)',
    minHeight: '12rem',
  },
  '.cm-gutters': {
    color: 'var(--quiet)',
    backgroundColor: 'var(--tblr-bg-surface-secondary)',
    border: '0',
    borderRadius: 'var(--tblr-border-radius) 0 0 var(--tblr-border-radius)',
  },
  '.cm-tooltip': { color: 'var(--tblr-body-color)', backgroundColor: 'var(--tblr-bg-surface)' },
})
