import { firstRecords } from './first-records.ts'
import { sendFile } from './send-file.ts'

const ROWS_SHOWN = 5
const PREVIEW_BYTES = 64 * 1024

/** The page that loads files: shows their first rows, then sends them one after the other and follows their jobs. */
export const watchDrops = (): void => {
  const form = document.querySelector<HTMLFormElement>('form[data-drop]')
  if (form === null) return
  const input = form.querySelector<HTMLInputElement>('input[type=file]')
  const target = form.querySelector<HTMLElement>('.target')
  const preview = form.querySelector<HTMLElement>('[data-preview]')
  const uploads = form.querySelector<HTMLElement>('[data-uploads]')
  if (input === null || target === null || preview === null || uploads === null) return

  const showPreview = async (): Promise<void> => {
    const files = [...(input.files ?? [])]
    preview.replaceChildren(...(await Promise.all(files.map(file => previewOf(file, delimiterOf(form))))))
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

const delimiterOf = (form: HTMLFormElement): string => {
  const chosen = textOf(form, 'delimiter')
  return chosen === 'tab' ? '\t' : chosen || ','
}

const sendAll = async (form: HTMLFormElement, files: readonly File[], list: HTMLElement): Promise<void> => {
  const button = form.querySelector('button')
  button?.setAttribute('disabled', '')
  for (const file of files) {
    const line = document.createElement('li')
    list.append(line)
    const table = (files.length === 1 ? textOf(form, 'table') : '') || tableNameOf(file.name)
    const settings = {
      tableId: `${textOf(form, 'bucket')}.${table}`,
      primaryKey: textOf(form, 'primaryKey')
        .split(',')
        .map(column => column.trim())
        .filter(column => column !== ''),
      delimiter: delimiterOf(form),
      incremental: textOf(form, 'incremental') === '1',
    }
    try {
      const { jobId, warnings } = await sendFile(file, settings, sent => {
        line.textContent = `${file.name}: ${Math.round((100 * sent) / Math.max(1, file.size))} % sent`
      })
      line.replaceChildren(
        `${file.name}: sent. `,
        linkTo(`/console/jobs/${jobId}`, 'Follow its job'),
        ...warnings.map(text => ` ${text}`),
      )
    } catch (error) {
      line.className = 'problem'
      line.textContent = `${file.name}: ${error instanceof Error ? error.message : 'it could not be sent'}`
    }
  }
  button?.removeAttribute('disabled')
}

const tableNameOf = (file: string): string =>
  file.replace(/(\.(csv|tsv|txt))?(\.gz)?$/i, '').replace(/[^A-Za-z0-9_-]+/g, '_')

const linkTo = (address: string, text: string): HTMLAnchorElement => {
  const link = document.createElement('a')
  link.href = address
  link.textContent = text
  return link
}

const previewOf = async (file: File, delimiter: string): Promise<HTMLElement> => {
  const section = document.createElement('section')
  const title = document.createElement('h2')
  title.textContent = file.name
  section.append(title)
  if (/\.gz$/i.test(file.name)) {
    section.append('Compressed: its rows are shown when they are loaded.')
    return section
  }
  const records = firstRecords(await file.slice(0, PREVIEW_BYTES).text(), delimiter, ROWS_SHOWN + 1)
  const table = document.createElement('table')
  for (const [index, record] of records.entries()) {
    const row = table.insertRow()
    for (const cell of record) {
      const box = document.createElement(index === 0 ? 'th' : 'td')
      box.textContent = cell
      row.append(box)
    }
  }
  section.append(table)
  return section
}
