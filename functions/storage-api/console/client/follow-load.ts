import type { LoadSettings, LoadState } from '../drop-wire.ts'
import { bytes } from '../format.ts'
import { build } from './build.ts'
import type { Head } from './read-head.ts'
import { loadState, sendFile } from './send-file.ts'

/** Sends a file, follows its load, and shows on a list what becomes of it: rows, or the line that is wrong and a way to mend it. */
export const followLoad = async (
  file: File,
  settings: LoadSettings,
  head: Head,
  list: HTMLElement,
): Promise<void> => {
  const says = build('p', { role: 'status' })
  const bar = build('progress', { max: Math.max(1, file.size), value: 0, ariaLabel: `Sending ${file.name}` })
  const box = build('li', { className: 'panel' }, build('h2', { textContent: file.name }), bar, says)
  list.append(box)
  try {
    const began = performance.now()
    const { jobId, warnings } = await sendFile(file, settings, sent => {
      bar.value = sent
      says.textContent = uploading(sent, file.size, (performance.now() - began) / 1000)
    })
    bar.removeAttribute('value')
    bar.ariaLabel = `Loading ${file.name}`
    const job = build('a', { href: `/console/jobs/${jobId}`, textContent: 'Its job' })
    says.textContent = `Loading into ${settings.tableId}.`
    const end = await untilLoaded(jobId, (seconds, sentence) => {
      says.textContent = `Loading into ${settings.tableId}: ${[sentence ?? [], `${seconds} s`].flat().join(', ')}.`
    })
    bar.remove()
    const notes = [...warnings, ...(end.warnings ?? [])].map(text =>
      build('p', { className: 'hint', textContent: text }),
    )
    if (end.status === 'error') {
      says.remove()
      box.append(build('p', { className: 'problem', role: 'alert', textContent: end.sentence ?? '' }), job)
      await offerMending(box, { file, settings, head, list, line: end.line })
      return
    }
    const open = build('a', {
      href: `/console/tables/${encodeURIComponent(end.tableId)}`,
      className: 'btn',
      textContent: 'Open the table',
    })
    says.textContent = `${end.sentence ?? 'Loaded'}.`
    box.append(...notes, build('p', { className: 'actions' }, open, job))
    await showRows(box, end.tableId)
  } catch (error) {
    bar.remove()
    says.remove()
    const sentence = error instanceof Error ? error.message : 'It could not be sent.'
    box.append(build('p', { className: 'problem', role: 'alert', textContent: sentence }))
  }
}

const uploading = (sent: number, all: number, seconds: number): string => {
  const rate = sent / Math.max(0.001, seconds)
  const rest = sent === 0 ? '' : `, ${bytes(rate)}/s, ${Math.ceil((all - sent) / rate)} s left`
  return `Sending: ${bytes(sent)} of ${bytes(all)}${sent === all ? '' : rest}.`
}

const FIRST_PAUSE_MS = 300
const LONGEST_PAUSE_MS = 3_000

const untilLoaded = async (
  jobId: number,
  onWait: (seconds: number, sentence: string | undefined) => void,
): Promise<LoadState> => {
  const began = performance.now()
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.3)) {
    const state = await loadState(jobId)
    if (state.status === 'success' || state.status === 'error') return state
    onWait(Math.round((performance.now() - began) / 1000), state.sentence)
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}

/** The first rows of the table, as its own page shows them. */
const showRows = async (box: HTMLElement, tableId: string): Promise<void> => {
  const response = await fetch(`/console/tables/${encodeURIComponent(tableId)}`)
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const rows = page.querySelector('.scroll')
  if (rows) box.append(rows)
}

interface Failed {
  file: File
  settings: LoadSettings
  head: Head
  list: HTMLElement
  line: number | undefined
}

const offerMending = async (
  box: HTMLElement,
  { file, settings, head, list, line }: Failed,
): Promise<void> => {
  const content = head.isCompressed
    ? await new Response(file.stream().pipeThrough(new DecompressionStream('gzip')))
        .blob()
        .catch(() => undefined)
    : file
  const found =
    line === undefined || head.form === 'Parquet' || content === undefined
      ? undefined
      : await findLine(content, line)
  if (found === undefined) return
  if (head.isCompressed) {
    box.append(build('p', { textContent: `Line ${line}:` }), build('pre', { textContent: found.text }))
    return
  }
  const field = build('textarea', { value: found.text, rows: 3, spellcheck: false })
  const again = build('button', {
    type: 'submit',
    className: 'btn btn-primary',
    textContent: 'Mend and send again',
  })
  const form = build(
    'form',
    { className: 'mend' },
    build('label', {}, `Line ${line} of ${file.name}`, field),
    build('p', { className: 'actions' }, again),
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    again.disabled = true
    box.remove()
    void followLoad(withLine(file, found, field.value), settings, head, list)
  })
  box.append(form)
  field.focus()
}

/** A line of a file, and where it lies. */
interface Line {
  text: string
  firstByte: number
  /** That of its line break, or the length of the file. */
  endByte: number
}

const LINE_FEED = 0x0a
const LONGEST_BYTES = 16 * 1024

/** The line with this number, from 1; nothing where the file has fewer, or the line is too long to be shown. */
const findLine = async (content: Blob, number: number): Promise<Line | undefined> => {
  const reader = content.stream().getReader()
  let line = 1
  let position = 0
  let firstByte = 0
  let endByte: number | undefined
  while (endByte === undefined) {
    const { value, done } = await reader.read()
    if (done) break
    for (let at = value.indexOf(LINE_FEED); at >= 0; at = value.indexOf(LINE_FEED, at + 1)) {
      if (line === number) {
        endByte = position + at
        break
      }
      line++
      if (line === number) firstByte = position + at + 1
    }
    position += value.length
  }
  void reader.cancel()
  const end = endByte ?? position
  if (line !== number || end - firstByte > LONGEST_BYTES) return undefined
  return { text: await content.slice(firstByte, end).text(), firstByte, endByte: end }
}

/** The file with another text in place of a line. */
const withLine = (file: File, { firstByte, endByte }: Line, text: string): File =>
  new File([file.slice(0, firstByte), text, file.slice(endByte)], file.name)
