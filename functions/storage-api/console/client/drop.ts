import type { LoadSettings } from '../drop-wire.ts'
import { build } from './build.ts'
import { followLoad } from './follow-load.ts'
import { type Head, readHead } from './read-head.ts'

/** The page that loads files: says what they are and shows their first rows, then sends them one after the other. */
export const watchDrops = (): void => {
  const form = document.querySelector<HTMLFormElement>('form[data-drop]')
  const input = form?.querySelector<HTMLInputElement>('input[type=file]')
  const target = form?.querySelector<HTMLElement>('.target')
  const preview = form?.querySelector<HTMLElement>('[data-preview]')
  const uploads = form?.parentElement?.querySelector<HTMLElement>('[data-uploads]')
  if (!form || !input || !target || !preview || !uploads) return
  let looks = 0

  const showPreview = async (): Promise<void> => {
    const look = ++looks
    const files = [...(input.files ?? [])]
    const shown = await Promise.all(
      files.map(async file => previewOf(file, await readHead(file, delimiterOf(form)))),
    )
    // The choice may have changed meanwhile.
    if (look === looks) preview.replaceChildren(...shown)
  }
  input.addEventListener('change', () => void showPreview())
  form.querySelector('[name=delimiter]')?.addEventListener('change', () => void showPreview())
  target.addEventListener('dragover', event => {
    event.preventDefault()
    target.classList.add('over')
  })
  target.addEventListener('dragleave', () => target.classList.remove('over'))
  target.addEventListener('drop', event => {
    event.preventDefault()
    target.classList.remove('over')
    if (!event.dataTransfer) return
    input.files = event.dataTransfer.files
    void showPreview()
  })
  form.addEventListener('submit', event => {
    event.preventDefault()
    void sendAll(form, [...(input.files ?? [])], uploads)
  })
}

const textOf = (form: HTMLFormElement, name: string): string => {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** As the file looks, unless somebody has chosen one. */
const delimiterOf = (form: HTMLFormElement): string | undefined => {
  const chosen = textOf(form, 'delimiter')
  return chosen === 'tab' ? '\t' : chosen || undefined
}

const sendAll = async (
  form: HTMLFormElement,
  files: readonly File[],
  uploads: HTMLElement,
): Promise<void> => {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')
  button?.setAttribute('disabled', '')
  for (const file of files) {
    const head = await readHead(file, delimiterOf(form))
    if (head.refused !== undefined) continue
    const table = (files.length === 1 ? textOf(form, 'table') : '') || tableNameOf(file.name)
    const settings: LoadSettings = {
      tableId: `${textOf(form, 'bucket')}.${table}`,
      primaryKey: textOf(form, 'primaryKey')
        .split(',')
        .map(column => column.trim())
        .filter(column => column !== ''),
      delimiter: head.delimiter,
      incremental: textOf(form, 'incremental') === '1',
      ...(textOf(form, 'detect') === '1' && { types: 'detect' }),
    }
    await followLoad(file, settings, head, uploads)
  }
  button?.removeAttribute('disabled')
}

const tableNameOf = (file: string): string =>
  file.replace(/(\.(csv|tsv|txt|jsonl|ndjson|json|parquet))?(\.gz)?$/i, '').replace(/[^A-Za-z0-9_-]+/g, '_')

const previewOf = (file: File, head: Head): HTMLElement => {
  const section = build('section', { className: 'panel' }, build('h2', { textContent: file.name }))
  if (head.refused !== undefined) {
    section.append(
      build('p', { className: 'problem', role: 'alert', textContent: `${file.name} ${head.refused}` }),
    )
    return section
  }
  const [header = [], ...rows] = head.records
  section.append(build('p', { className: 'hint', textContent: describe(head) }))
  if (header.length === 0) return section
  const names = header.map(name => build('th', { scope: 'col', textContent: name }))
  const body = rows.map(row =>
    build('tr', {}, ...row.map(cell => build('td', { className: 'cell', textContent: cell }))),
  )
  const table = build('table', {}, build('thead', {}, build('tr', {}, ...names)), build('tbody', {}, ...body))
  const scroll = build(
    'section',
    { className: 'scroll', tabIndex: 0, ariaLabel: `First rows of ${file.name}` },
    table,
  )
  section.append(scroll)
  return section
}

const describe = ({ form, isCompressed, delimiter, records }: Head): string => {
  const named: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }
  const kind = form === 'CSV' ? `CSV with ${named[delimiter] ?? delimiter}` : form
  const columns = records[0]?.length ?? 0
  const what =
    form === 'Parquet'
      ? 'Its rows are shown when they are loaded.'
      : `${columns} ${columns === 1 ? 'column' : 'columns'}; the first rows:`
  return `${kind}${isCompressed ? ', compressed with gzip' : ''}. ${what}`
}
