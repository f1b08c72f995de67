import { FORM_BYTES, formOf, isTabbed } from '#lib/table-engine/csv/file-forms.ts'
import type { LoadSettings } from '../drop-wire.ts'
import { bytes } from '../format.ts'
import { sendFile } from './send-file.ts'

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
  const pages: string[] = []
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
    const page = await send(file, settings, uploads)
    if (page !== undefined) pages.push(page)
  }
  button?.removeAttribute('disabled')
  // What was refused is said here; else the page of the job says what becomes of it.
  if (pages.length === files.length)
    location.assign(pages.length === 1 && pages[0] ? pages[0] : '/console/jobs')
}

/** Sends a file and shows on a list how far it is, or why not. Resolves to the page of the job that loads it. */
const send = async (file: File, settings: LoadSettings, list: HTMLElement): Promise<string | undefined> => {
  const says = build('p', { role: 'status' })
  const bar = build('progress', { max: Math.max(1, file.size), value: 0, ariaLabel: `Sending ${file.name}` })
  const box = build('li', { className: 'panel' }, build('h2', { textContent: file.name }), bar, says)
  list.append(box)
  const began = performance.now()
  try {
    const { jobId } = await sendFile(file, settings, sent => {
      bar.value = sent
      says.textContent = uploading(sent, file.size, (performance.now() - began) / 1000)
    })
    const page = `/console/jobs/${jobId}`
    says.replaceChildren(`Loading into ${settings.tableId}. `, build('a', { href: page }, 'Its job'))
    return page
  } catch (error) {
    const sentence = error instanceof Error ? error.message : 'It could not be sent.'
    says.remove()
    box.append(build('p', { className: 'problem', role: 'alert', textContent: sentence }))
    return undefined
  } finally {
    bar.remove()
  }
}

const uploading = (sent: number, all: number, seconds: number): string => {
  const rate = sent / Math.max(0.001, seconds)
  const rest = sent === 0 ? '' : `, ${bytes(rate)}/s, ${Math.ceil((all - sent) / rate)} s left`
  return `Sending: ${bytes(sent)} of ${bytes(all)}${sent === all ? '' : rest}.`
}

const tableNameOf = (file: string): string =>
  file.replace(/(\.(csv|tsv|txt|jsonl|ndjson|json|parquet))?(\.gz)?$/i, '').replace(/[^A-Za-z0-9_-]+/g, '_')

/** An element with properties and children. */
const build = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}
