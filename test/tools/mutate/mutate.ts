import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readImports, sourceFiles } from '../../project/import-graph.ts'
import { linkPackages } from '../../support/link-packages.ts'
import { type Mutant, mutantsOf, withMutant } from './mutants-of.ts'
import { compiles, runTests } from './run-tests.ts'
import { sample } from './sample.ts'
import { importersIn, startedFiles, testsFor } from './tests-for.ts'

/**
 * Changes one line of the product at a time and says which of the changes no test catches:
 * `npm run mutate -- --sample 200 --seed 1`. It works in a copy in a temporary folder. The seed chooses the lines.
 */
const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** Only files whose path begins so. */
    files: { type: 'string', default: '' },
    /** How many test files are run for one change, the nearest first. */
    tests: { type: 'string', default: '8' },
    /** For the tests of one change. */
    seconds: { type: 'string', default: '240' },
  },
})
/** The nearest tests run first and alone: most changes fail there. */
const FIRST_TESTS = 4
const [size, seed, mostTests, seconds] = [values.sample, values.seed, values.tests, values.seconds].map(
  Number,
)
if (!size || seed === undefined || !mostTests || !seconds) throw new Error('The options take numbers')

const copy = mkdtempSync(join(tmpdir(), 'millrace-mutate-'))
process.once('exit', () => {
  process.chdir(tmpdir())
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 ** 2,
})
for (const file of listed.split('\0').filter(file => file !== '' && existsSync(file)))
  cpSync(file, join(copy, file), { recursive: true })
mkdirSync(join(copy, 'node_modules'))
await linkPackages(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
// What the tests leave behind when they are stopped goes with the copy.
mkdirSync(join(copy, 'temporary'))
process.env.TMPDIR = join(copy, 'temporary')
// Whatever is written in the project meanwhile, all is read from the copy.
process.chdir(copy)

const product = sourceFiles('functions', 'cli', 'local', 'infra')
const files = [...product, ...sourceFiles('test')]
const graph = readImports(files)
const importers = importersIn(graph, startedFiles(files, importersIn(graph, [])))
const mutants = product
  .toSorted()
  .filter(file => file.startsWith(values.files))
  .flatMap(file => mutantsOf(file, readFileSync(file, 'utf8')))

/** Test file -> whether it passes without any change, asked once it has failed with one. */
const sound = new Map<string, boolean>()
const isSound = async (test: string): Promise<boolean> => {
  const known = sound.get(test) ?? (await runTests(copy, [test], 2 * seconds)).verdict === 'passed'
  sound.set(test, known)
  return known
}

type Fate = 'caught' | 'survived' | 'too long' | 'caught by the compiler'

const fateOf = async (mutant: Mutant): Promise<Fate> => {
  const source = readFileSync(mutant.file, 'utf8')
  const change = (): void => writeFileSync(mutant.file, withMutant(source, mutant))
  const restore = (): void => writeFileSync(mutant.file, source)
  const tests = testsFor(mutant.file, importers)
    .filter(test => sound.get(test) !== false)
    .slice(0, mostTests)
  let isTooLong = false
  for (const some of [tests.slice(0, FIRST_TESTS), tests.slice(FIRST_TESTS)].filter(
    ({ length }) => length > 0,
  )) {
    change()
    const { verdict, failed } = await runTests(copy, some, seconds).finally(restore)
    if (verdict === 'too long') isTooLong = true
    if (verdict !== 'failed') continue
    const areSound = await Promise.all(failed.map(isSound))
    // A test that fails without the change, too, says nothing of it.
    return areSound.every(Boolean) ? 'caught' : fateOf(mutant)
  }
  if (isTooLong) return 'too long'
  change()
  const isTaken = await compiles(copy).finally(restore)
  return isTaken ? 'survived' : 'caught by the compiler'
}

const shown = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 70)
const described = ({ file, line, kind, start, end, replacement }: Mutant): string =>
  `${file}:${line} ${kind}: ${shown(readFileSync(file, 'utf8').slice(start, end))} -> ${shown(replacement)}`

const fates: { mutant: Mutant; fate: Fate }[] = []
for (const mutant of sample(mutants, size, seed)) {
  const fate = await fateOf(mutant)
  fates.push({ mutant, fate })
  console.error(`${fates.length} ${fate} ${described(mutant)}`)
}

const having = (fate: Fate): Mutant[] => fates.filter(one => one.fate === fate).map(({ mutant }) => mutant)
for (const fate of ['survived', 'too long', 'caught by the compiler'] as const)
  for (const mutant of having(fate)) console.log(`${fate}: ${described(mutant)}`)
const [caught, survived] = [having('caught').length, having('survived').length]
console.log(
  `seed ${seed}: of ${fates.length} changes tests caught ${caught} and missed ${survived}, ` +
    `${Math.round((100 * caught) / (caught + survived))} % of those two; the compiler alone refused ` +
    `${having('caught by the compiler').length}, and ${having('too long').length} took longer than ${seconds} s`,
)
