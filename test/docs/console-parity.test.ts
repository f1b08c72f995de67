import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { routes as pages } from '#functions/storage-api/console/routes.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { runMillrace } from '../support/millrace.ts'

/** Everything that a person can do in the console: where, by which route, by which command (docs/console.md). */
const table = [
  ...readFileSync('docs/console.md', 'utf8').matchAll(
    /^\| `(\/console[^`]*)` \| `(\w+) ([^`]+)` \| `([^`]+)` \|$/gm,
  ),
].map(([, path = '', method = '', route = '', command = '']) => ({ path, method, route, command }))

it('each page and each form of the console is in the table', () => {
  const all = pages.map(({ path }) => path).filter(path => path !== '/console/runs')
  expect(new Set(table.map(({ path }) => path))).toEqual(new Set(all))
})

it('each has a route that is documented', () => {
  const known = new Set(
    routes.map(
      ({ method, definition }) => `${method.toUpperCase()} ${definition.path.replace('/v2/storage', '')}`,
    ),
  )
  expect(table.map(({ method, route }) => `${method} ${route}`).filter(each => !known.has(each))).toEqual([])
})

it('each has a command', async () => {
  const { stdout } = await runMillrace(['completion', 'bash'])
  const known = new Set([...stdout.matchAll(/^ +"([^"]+)"\) options=/gm)].map(([, command]) => command))
  expect(table.map(({ command }) => command).filter(each => !known.has(each))).toEqual([])
})
