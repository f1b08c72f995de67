import 'htmx.org'
import { watchDrops } from './drop.ts'
import { joinSlices } from './join-slices.ts'
import { watchShell } from './shell.ts'

/** The button of a sliced CSV file that saves it as one. Its slices are the links of the list. */
const watchJoin = (): void => {
  const button = document.querySelector<HTMLButtonElement>('button[data-join]')
  const says = document.querySelector<HTMLElement>('[data-join-says]')
  if (button === null || says === null) return
  button.hidden = false
  button.addEventListener('click', () => void save(button, says))
}

const save = async (button: HTMLButtonElement, says: HTMLElement): Promise<void> => {
  const { join: name = 'table.csv', columns = '[]' } = button.dataset
  const addresses = [...document.querySelectorAll<HTMLAnchorElement>('ol[data-slices] a')].map(
    ({ href }) => href,
  )
  button.disabled = true
  try {
    const settings = { columns: JSON.parse(columns) as string[], isCompressed: name.endsWith('.gz') } // as the page wrote it
    const content = await joinSlices(addresses, settings, done => {
      says.textContent = `Slice ${done + 1} of ${addresses.length}`
    })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(content)
    link.download = name
    link.click()
    says.textContent = 'All slices are there.'
  } catch (error) {
    says.textContent = error instanceof Error ? error.message : 'It could not be put together.'
  } finally {
    button.disabled = false
  }
}

watchShell()
watchDrops()
watchJoin()
// Large, and of one kind of page.
if (document.querySelector('form[data-json]') !== null)
  void import('./json-editor.ts').then(({ watchJson }) => watchJson())
if (document.querySelector('form[data-sql]') !== null)
  void import('./sql-editor.ts').then(({ watchQuery }) => watchQuery())
