import { ago, exactTime } from '../format.ts'

const TOAST_MILLISECONDS = 8_000
const CLOCK_MILLISECONDS = 15_000

/** What every page has: times of this zone, notes that go away, questions, what is looked at again, and the search. */
export const watchShell = (): void => {
  // On a phone, where the entries are more than the bar has room for.
  document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  tellTimes()
  setInterval(tellTimes, CLOCK_MILLISECONDS)
  document.addEventListener('click', closeToast)
  for (const toast of document.querySelectorAll('[data-toast=passing]'))
    setTimeout(() => toast.remove(), TOAST_MILLISECONDS)
  guardEdits()
  keepLive()
  watchSearch()
}

const tellTimes = (): void => {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[title]')) {
    const time = Date.parse(element.dateTime)
    element.title = exactTime(time)
    element.textContent = ago(time, Date.now())
  }
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  for (const element of document.querySelectorAll('[data-zone]')) element.textContent = timeZone
}

const closeToast = ({ target }: Event): void => {
  if (target instanceof Element) target.closest('[data-close]')?.closest('.toast')?.remove()
}

/** Leaving a form with changes that are not saved asks first. */
const guardEdits = (): void => {
  const edited = new Set<HTMLFormElement>()
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element ? target.closest<HTMLFormElement>('form[data-unsaved]') : null
    if (form !== null) edited.add(form)
  })
  document.addEventListener('submit', () => edited.clear())
  window.addEventListener('beforeunload', event => {
    if (edited.size > 0) event.preventDefault()
  })
}

/** A page of what is under way is looked at again, as often as it says. */
const keepLive = (): void => {
  const main = document.querySelector<HTMLElement>('main[data-live]')
  if (main === null) return
  setTimeout(
    () => void replacePart(main, location.href, 'main').then(tellTimes).finally(keepLive),
    Number(main.dataset['live']) * 1000,
  )
}

const TYPING_MILLISECONDS = 120

/** Ctrl+K opens the search, whose list follows what is typed. */
const watchSearch = (): void => {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.search')
  const field = dialog?.querySelector('input')
  if (!dialog || !field) return // nobody is signed in
  let asked = new AbortController()
  const look = (): void => {
    asked.abort() // an older answer
    asked = new AbortController()
    const list = dialog.querySelector('.found')
    const address = `/console/search?q=${encodeURIComponent(field.value)}`
    if (list) void replacePart(list, address, 'main .found', asked.signal)
  }
  const open = (event: Event): void => {
    event.preventDefault()
    dialog.showModal()
    look()
  }
  document.addEventListener('keydown', event => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) open(event)
  })
  document.querySelector('a[data-search]')?.addEventListener('click', open)
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  let timer = 0
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(look, TYPING_MILLISECONDS)
  })
}

/** The text of a page; nothing where it cannot be shown now. Who is signed out by now is led to the form. */
const read = async (address: string, signal: AbortSignal | null): Promise<string> => {
  const response = await fetch(address, { signal })
  if (response.redirected) location.assign(response.url)
  if (response.status === 401) location.reload()
  return response.ok && !response.redirected ? response.text() : ''
}

/** Puts a part of a page that is asked for in place of one that is shown. */
const replacePart = async (
  shown: Element,
  address: string,
  selector: string,
  signal: AbortSignal | null = null,
): Promise<void> => {
  const text = await read(address, signal).catch(() => '')
  const part = new DOMParser().parseFromString(text, 'text/html').querySelector(selector)
  const focused = document.activeElement?.id
  if (part !== null) shown.replaceWith(part)
  if (focused) document.getElementById(focused)?.focus()
}
