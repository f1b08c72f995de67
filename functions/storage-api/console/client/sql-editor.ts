import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { type EditorView, keymap } from '@codemirror/view'
import { openEditor } from './editor.ts'

/** The query page: an editor that completes tables and columns, and earlier queries. */
export const watchQuery = (): void => {
  const form = document.querySelector<HTMLFormElement>('form[data-sql]')
  const field = form?.querySelector('textarea')
  if (!form || !field) return
  const schema = JSON.parse(form.dataset['sql'] ?? '{}') as Record<string, string[]> // as the page wrote it
  const view = openEditor(field, 'SQL', [
    sql({ dialect: PostgreSQL, upperCaseKeywords: true }),
    autocompletion({ override: [completeFrom(schema)] }),
    keymap.of([{ key: 'Mod-Enter', run: () => submitted(form) }]),
  ])
  offerEarlier(form, view)
}

const WORDS =
  'SELECT FROM WHERE GROUP BY ORDER BY LIMIT JOIN USING ON AND OR count(*) sum( avg( min( max( DISTINCT'.split(
    ' ',
  )

/** Tables by their whole ids, which hold dots and hyphens, and columns of the tables that the statement names before all others. */
const completeFrom =
  (schema: Readonly<Record<string, readonly string[]>>): CompletionSource =>
  context => {
    const word = context.matchBefore(/[\w.-]+/)
    if (word === null && !context.explicit) return null
    const text = context.state.doc.toString()
    const named = Object.keys(schema).filter(id => text.includes(id))
    const columns = new Set((named.length > 0 ? named : Object.keys(schema)).flatMap(id => schema[id] ?? []))
    return {
      from: word?.from ?? context.pos,
      validFor: /^[\w.-]*$/,
      options: [
        ...Object.keys(schema).map(label => ({ label, type: 'class', boost: 1 })),
        ...[...columns].map(label => ({ label, apply: quoted(label), type: 'property', boost: 2 })),
        ...WORDS.map(label => ({ label, type: 'keyword' })),
      ],
    }
  }

const quoted = (name: string): string =>
  /^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`

const KEY = 'millrace-queries'
const KEPT = 30

/** What was asked at this browser, the last one first. It stays there. */
const offerEarlier = (form: HTMLFormElement, view: EditorView): void => {
  const kept = earlier()
  const list = form.querySelector<HTMLSelectElement>('select[data-earlier]')
  if (list && kept.length > 0) {
    for (const text of kept) list.add(new Option(text.replaceAll(/\s+/g, ' ').slice(0, 120), text))
    list.disabled = false
    list.addEventListener('change', () => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: list.value } })
      list.selectedIndex = 0
      view.focus()
    })
  }
  form.addEventListener('submit', () => {
    const text = view.state.doc.toString().trim()
    if (text === '') return
    const all = [text, ...kept.filter(each => each !== text)].slice(0, KEPT)
    localStorage.setItem(KEY, JSON.stringify(all))
  })
}

const earlier = (): string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(each => typeof each === 'string') : []
  } catch {
    return []
  }
}

const submitted = (form: HTMLFormElement): true => {
  form.requestSubmit()
  return true
}
