import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleFunctions, folderUntilExit } from '#infra/bundle.ts'
import { projectRoot } from '#infra/project-root.ts'
import { functionNames } from '#infra/system.ts'
import { figure, median } from './figure.ts'

/*
 * Processor time that a new container spends before its first event: the import of each bundle, in a process of its own.
 * The baseline is the import of an empty handler. The best of some runs is nearest to a quiet machine.
 */
const RUNS = 7

/** Prints the milliseconds of processor time, user and system, that the import of a module takes. */
const PROGRAM = `
const before = process.cpuUsage()
await import(process.argv[1])
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)`

// The others read their environment with the first event.
const environment = {
  AWS_REGION: 'us-east-1',
  STORAGE_URL: 'any',
  STORAGE_TOKEN_SECRET_ARN: 'any',
}

const run = promisify(execFile)

const importMilliseconds = async (modulePath: string): Promise<{ best: number; middle: number }> => {
  const times: number[] = []
  for (let count = 0; count < RUNS; count++) {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM, modulePath], {
      env: environment,
    })
    times.push(Number(stdout))
  }
  return { best: Math.min(...times), middle: median(times) }
}

// Below the project, so that bundles find the native binding.
const folder = mkdtempSync(join(projectRoot, 'node_modules', '.cache', 'starts-'))
const bundles = await bundleFunctions({ runsOn: 'this-machine' })
try {
  const empty = join(folderUntilExit('millrace-empty-'), 'index.mjs')
  writeFileSync(empty, 'export const handler = () => {}\n')
  const baseline = await importMilliseconds(empty)
  for (const name of functionNames) {
    cpSync(bundles[name].folder, join(folder, name), { recursive: true })
    const { best, middle } = await importMilliseconds(join(folder, name, 'index.mjs'))
    console.log(JSON.stringify(figure(`start.${name}`, 'ms of processor time', best, baseline.best)))
    console.log(
      JSON.stringify(figure(`start.${name}.median`, 'ms of processor time', middle, baseline.middle)),
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
