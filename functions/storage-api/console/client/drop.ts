import { FORM_BYTES, formOf, isTabbed } from '#lib/table-engine/csv/file-forms.ts'
import { build } from './build.ts'
import { followLoad } from './follow-load.ts'

/** The page that loads files, one after the other. */
export const watchDrops = (): void => {
  const form = document.querySelector<HTMLFormElement>('form[data-drop]')
  const input = form?.querySelector<HTMLInputElement>('input[type=file]')
  const target = form?.querySelector<HTMLElement>('.target')
  const uploads = form?.parentElement?.querySelector<HTMLElement>('[data-uploads]')
  if (!form || !input || !target || !uploads) return
  target.addEventListener('dragover', event => {
    event.preventDefault()
    target.classList.add('over')
  })
  target.addEventListener('dragleave', () => target.classList.remove('over'))
  target.addEventListener('drop', event => {
    event.preventDefault()
    target.classList.remove('over')
    if (event.dataTransfer) input.files = event.dataTransfer.files
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

const sendAll = async (
  form: HTMLFormElement,
  files: readonly File[],
  uploads: HTMLElement,
): Promise<void> => {
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')
  button?.setAttribute('disabled', '')
  for (const file of files) {
    const { refused } = formOf(new Uint8Array(await file.slice(0, FORM_BYTES).arrayBuffer()))
    if (refused !== undefined) {
      const problem = { className: 'problem', role: 'alert', textContent: `${file.name} ${refused}` }
      uploads.append(build('li', {}, build('p', problem)))
      continue
    }
    const chosen = textOf(form, 'delimiter')
    const table = (files.length === 1 ? textOf(form, 'table') : '') || tableNameOf(file.name)
    const settings = {
      tableId: `${textOf(form, 'bucket')}.${table}`,
      primaryKey: textOf(form, 'primaryKey'),
      delimiter: chosen === 'tab' || (chosen === '' && isTabbed(file.name)) ? '\t' : chosen || ',',
      incremental: textOf(form, 'incremental') === '1',
      ...(textOf(form, 'detect') === '1' && { types: 'detect' as const }),
    }
    await followLoad(file, settings, uploads)
  }
  button?.removeAttribute('disabled')
}

const tableNameOf = (file: string): string =>
  file.replace(/(\.(csv|tsv|txt|jsonl|ndjson|json|parquet))?(\.gz)?$/i, '').replace(/[^A-Za-z0-9_-]+/g, '_')
