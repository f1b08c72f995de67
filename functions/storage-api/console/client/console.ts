import { build } from './build.ts'
import { watchDrops } from './drop.ts'
import { joinSlices } from './join-slices.ts'
import { watchShell } from './shell.ts'

/** The button of a sliced CSV file that saves it as one. Its slices are the links of the list. */
const watchJoin = (): void => {
  const part = document.querySelector<HTMLElement>('[data-join]')
  const button = part?.querySelector('button')
  const says = part?.querySelector('span')
  if (!part || !button || !says) return
  part.hidden = false
  button.addEventListener('click', async () => {
    const { join: name = 'table.csv', columns = '[]' } = part.dataset
    const links = document.querySelectorAll<HTMLAnchorElement>('ol[data-slices] a')
    button.disabled = true
    try {
      const content = await joinSlices(
        Array.from(links, ({ href }) => href),
        { columns: JSON.parse(columns) as string[], isCompressed: name.endsWith('.gz') }, // as the page wrote it
        done => {
          says.textContent = `Slice ${done + 1} of ${links.length}`
        },
      )
      build('a', { href: URL.createObjectURL(content), download: name }).click()
      says.textContent = 'All slices are there.'
    } catch (error) {
      says.textContent = error instanceof Error ? error.message : 'It could not be put together.'
    } finally {
      button.disabled = false
    }
  })
}

watchShell()
watchDrops()
watchJoin()
// Large, and of one kind of page.
if (document.querySelector('form[data-json]') !== null)
  void import('./json-editor.ts').then(({ watchJson }) => watchJson())
if (document.querySelector('form[data-sql]') !== null)
  void import('./sql-editor.ts').then(({ watchQuery }) => watchQuery())
