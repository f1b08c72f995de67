import { ago, exactTime } from '../format.ts'
import { watchPalette } from './palette.ts'

const TOAST_MILLISECONDS = 8_000
const CLOCK_MILLISECONDS = 15_000

/** What every page has: times of this zone, notes that go away, questions, and the palette. */
export const watchShell = (): void => {
  // On a phone, where the entries are more than the bar has room for.
  document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  tellTimes()
  setInterval(tellTimes, CLOCK_MILLISECONDS)
  document.addEventListener('htmx:afterSettle', tellTimes)
  document.addEventListener('click', closeToast)
  for (const toast of document.querySelectorAll('[data-toast=passing]'))
    setTimeout(() => toast.remove(), TOAST_MILLISECONDS)
  document.addEventListener('input', checkTyped)
  guardEdits()
  watchPalette()
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

/** A field that asks for a certain text says so while it has another. */
const checkTyped = ({ target }: Event): void => {
  if (!(target instanceof HTMLInputElement) || target.dataset['typed'] === undefined) return
  const isRight = target.value.trim() === target.dataset['typed']
  target.setCustomValidity(isRight ? '' : `Type ${target.dataset['typed']} to confirm.`)
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
