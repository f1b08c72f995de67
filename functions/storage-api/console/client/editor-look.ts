import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
])

export const look = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '&.cm-focused': { outline: '3px solid var(--accent)' },
  '.cm-content': { fontFamily: 'ui-monospace, monospace', caretColor: 'var(--text)', minHeight: '12rem' },
  '.cm-gutters': { color: 'var(--soft)', backgroundColor: 'var(--ground)', border: '0' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--panel)' },
})
