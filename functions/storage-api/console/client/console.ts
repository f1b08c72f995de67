import { watchDrops } from './drop.ts'
import { watchShell } from './shell.ts'

watchShell()
watchDrops()
// Large, and of one kind of page.
if (document.querySelector('form[data-json]') !== null)
  void import('./json-editor.ts').then(({ watchJson }) => watchJson())
if (document.querySelector('form[data-sql]') !== null)
  void import('./sql-editor.ts').then(({ watchQuery }) => watchQuery())
