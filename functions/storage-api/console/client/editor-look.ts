import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: 'var(--busy)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
])

export const look = EditorView.theme({
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
