import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

export type Verdict = 'passed' | 'failed' | 'too long'

export interface TestRun {
  readonly verdict: Verdict
  /** The files of which a test failed. */
  readonly failed: readonly string[]
}

const report = z.object({
  testResults: z.array(z.object({ name: z.string(), status: z.string() })),
})

/** Runs test files of a copy of the project, up to the first failure. */
export const runTests = async (copy: string, tests: readonly string[], seconds: number): Promise<TestRun> => {
  const outputFile = join(copy, 'mutate-report.json')
  await rm(outputFile, { force: true })
  const verdict = await runNode(
    copy,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--root', '.'],
      ...['--maxWorkers', '1', '--bail', '1', '--reporter', 'json', '--outputFile', outputFile],
      ...tests,
    ],
    seconds,
  )
  return { verdict, failed: verdict === 'failed' ? await failedIn(outputFile, copy) : [] }
}

const failedIn = async (outputFile: string, copy: string): Promise<string[]> => {
  // Without a report the run itself came to an end, such as by an error that no test has awaited.
  const text = await readFile(outputFile, 'utf8').catch(() => '{"testResults":[]}')
  return report
    .parse(JSON.parse(text))
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => name.slice(copy.length + 1))
}

/** Whether the compiler takes a copy of the project. */
export const compiles = async (copy: string): Promise<boolean> =>
  (await runNode(copy, ['node_modules/typescript/bin/tsc', '--noEmit'], 600)) === 'passed'

const runNode = (cwd: string, args: string[], seconds: number): Promise<Verdict> =>
  new Promise((resolve, reject) => {
    // A group of its own: what a test has started ends with it.
    const child = spawn(process.execPath, args, { cwd, stdio: 'ignore', detached: true })
    const endGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // All of the group have ended.
      }
    }
    process.prependOnceListener('exit', endGroup)
    let isTooLong = false
    const timer = setTimeout(() => {
      isTooLong = true
      endGroup()
    }, seconds * 1000)
    child.once('error', reject).once('exit', code => {
      clearTimeout(timer)
      process.off('exit', endGroup)
      endGroup()
      if (isTooLong) resolve('too long')
      else resolve(code === 0 ? 'passed' : 'failed')
    })
  })
