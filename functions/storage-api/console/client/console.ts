import 'htmx.org'
import { watchDrops } from './drop.ts'

watchDrops()
// Large, and of one kind of page.
if (document.querySelector('form[data-json]') !== null)
  void import('./json-editor.ts').then(({ watchJson }) => watchJson())
