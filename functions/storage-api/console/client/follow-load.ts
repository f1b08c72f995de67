import type { LoadSettings, LoadState } from '../drop-wire.ts'
import { bytes } from '../format.ts'
import { build } from './build.ts'
import { loadState, sendFile } from './send-file.ts'

/** Sends a file, follows its load, and shows on a list what becomes of it: rows, or why there are none. */
export const followLoad = async (file: File, settings: LoadSettings, list: HTMLElement): Promise<void> => {
  const says = build('p', { role: 'status' })
  const bar = build('progress', { max: Math.max(1, file.size), value: 0, ariaLabel: `Sending ${file.name}` })
  const box = build('li', { className: 'panel' }, build('h2', { textContent: file.name }), bar, says)
  list.append(box)
  try {
    const began = performance.now()
    const { jobId } = await sendFile(file, settings, sent => {
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
    const notes = (end.warnings ?? []).map(text => build('p', { className: 'hint', textContent: text }))
    if (end.status === 'error') {
      says.remove()
      box.append(build('p', { className: 'problem', role: 'alert', textContent: end.sentence ?? '' }), job)
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
