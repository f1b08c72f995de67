import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { keymap } from '@codemirror/view'
import { openEditor } from './editor.ts'

/** The query page: an editor that completes tables and columns. */
export const watchQuery = (): void => {
  const form = document.querySelector<HTMLFormElement>('form[data-sql]')
  const field = form?.querySelector('textarea')
  if (!form || !field) return
  const schema = JSON.parse(form.dataset['sql'] ?? '{}') as Record<string, string[]> // as the page wrote it
  openEditor(field, 'SQL', [
    sql({ dialect: PostgreSQL, upperCaseKeywords: true }),
    autocompletion({ override: [completeFrom(schema)] }),
    keymap.of([{ key: 'Mod-Enter', run: () => submitted(form) }]),
  ])
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

const submitted = (form: HTMLFormElement): true => {
  form.requestSubmit()
  return true
}
