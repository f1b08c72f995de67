import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { SuiteResult } from './contract-suite.ts'

const report = z.object({
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

/** Tests, by their full names, that the other implementation fails, and the documentation's word for our side. */
export type Differences = Readonly<Record<string, string>>

interface RunOptions {
  readonly differences?: Differences
  /** Of the project whose tests they are. Default: this one. */
  readonly folder?: string
  /** Says nothing of what fails: it is meant to. */
  readonly isQuiet?: boolean
}

/**
 * Runs test files of ours in this environment, which names another implementation. A test that is listed as a difference fails there:
 * if it no longer does, the list is wrong, and that is a failure.
 */
export const runTests = async (
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  { differences = {}, folder: cwd, isQuiet = false }: RunOptions = {},
): Promise<SuiteResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'))
  const file = join(folder, 'report.json')
  const given = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--root', '.']
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile=${file}`]
  const child = spawn('npx', [...given, ...reporters, ...files], {
    env: { ...process.env, ...environment },
    cwd,
    stdio: isQuiet ? 'ignore' : 'inherit',
  })
  await new Promise(resolve => child.once('exit', resolve))
  const found = report.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => '{}')))
  await rm(folder, { recursive: true, force: true })
  if (!found.success) return { passed: 0, failed: 1 }
  return judge(found.data.testResults, differences, isQuiet)
}

type FileResult = z.infer<typeof report>['testResults'][number]

const judge = (results: readonly FileResult[], differences: Differences, isQuiet: boolean): SuiteResult => {
  const tests = results.flatMap(({ assertionResults }) => assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed')
  const failed = tests.filter(({ status }) => status === 'failed')
  // A file that does not load has no test to fail, and a run in which no test ran has shown nothing.
  const unloaded = results.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const isListed = ({ fullName }: { fullName: string }): boolean => fullName in differences
  const agreeing = passed.filter(isListed)
  for (const { fullName } of agreeing)
    console.error(`No longer different, so no longer to be listed: ${fullName}`)
  for (const { fullName } of failed.filter(isListed))
    console.log(`  differs: ${fullName}. ${differences[fullName]}`)
  const unexpected = failed.filter(test => !isListed(test))
  for (const { fullName } of isQuiet ? [] : unexpected) console.error(`  FAILED: ${fullName}`)
  return {
    passed: passed.length - agreeing.length,
    failed: unexpected.length + agreeing.length + unloaded.length + Number(tests.length === 0),
    differing: failed.filter(isListed).length,
  }
}
