import 'htmx.org'
import { watchDrops } from './drop.ts'
import { watchJson } from './json-editor.ts'

watchJson()
watchDrops()
