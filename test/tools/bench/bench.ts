import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs the benchmarks, each `*.bench.ts` in a process of its own so that none inherits the memory of another, and
 * prints one JSON line per figure. `npm run bench -- import` runs those whose name contains `import`.
 */
const folder = import.meta.dirname
const wanted = process.argv.slice(2)
const files = readdirSync(folder)
  .filter(file => file.endsWith('.bench.ts'))
  .filter(file => wanted.length === 0 || wanted.some(name => file.includes(name)))

if (files.length === 0) {
  console.error(`No benchmark is named like ${wanted.join(', ')}.`)
  process.exitCode = 1
}

for (const file of files) {
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', join(folder, file)], { stdio: 'inherit' })
    child.once('error', reject).once('exit', resolve)
  })
  if (code !== 0) {
    console.error(`${file} ended with ${code}`)
    process.exitCode = 1
  }
}
