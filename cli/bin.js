#!/usr/bin/env node
// Plain JavaScript of any age: whatever Node runs this must be able to read it.
import { existsSync } from 'node:fs'

const needed = 24
if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `Millrace needs Node ${needed} or newer; this is Node ${process.versions.node}. ` +
      `Install it from https://nodejs.org, or run: npx -p node@${needed} -p millrace millrace ...\n`,
  )
  process.exit(1)
}
await import('./little-memory.js')
await import('./compile-cache.js')
// A checkout runs its sources; the published package holds what was built from them.
const source = new URL('millrace.ts', import.meta.url)
await import(existsSync(source) ? source.href : new URL('../dist/cli/millrace.js', import.meta.url).href)
