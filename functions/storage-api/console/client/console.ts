import 'htmx.org'
import { watchDrops } from './drop.ts'
import { watchJoin } from './watch-join.ts'

watchDrops()
watchJoin()
// Large, and of one kind of page.
if (document.querySelector('form[data-json]') !== null)
  void import('./json-editor.ts').then(({ watchJson }) => watchJson())
