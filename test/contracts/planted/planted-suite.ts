import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ContractSuite } from '../contract-suite.ts'
import { runTests } from '../run-tests.ts'
import { plantedFaults } from './planted-faults.ts'

const root = resolve(import.meta.dirname, '../../..')
const copied = [
  'cli',
  'events',
  'functions',
  'infra',
  'local',
  'test',
  'cdk.json',
  'package.json',
  'tsconfig.json',
]

/** Misreadings of AWS, planted into a copy of the project on both sides of its tests: each must fail the test that is named. */
export const plantedSuite: ContractSuite = {
  name: 'planted',
  run: async () => {
    const copy = await mkdtemp(join(tmpdir(), 'planted-'))
    const sum = { passed: 0, failed: 0 }
    try {
      for (const name of copied) await cp(join(root, name), join(copy, name), { recursive: true })
      await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
      for (const { name, edits, caughtBy } of plantedFaults) {
        const restore = await plant(copy, edits)
        const found = await runTests([caughtBy], {}, { folder: copy, isQuiet: true })
        await restore()
        const isCaught = 'failed' in found && found.failed > 0 && found.passed > 0
        if (!isCaught) console.error(`Not caught by ${caughtBy}: ${name}`)
        sum[isCaught ? 'passed' : 'failed']++
      }
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
    return sum
  },
}

/** Resolves to what takes it back. */
const plant = async (
  copy: string,
  edits: readonly { file: string; from: string; to: string }[],
): Promise<() => Promise<void>> => {
  const before = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const path = join(copy, file)
    const text = await readFile(path, 'utf8')
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold this once: ${from}`)
    before.set(path, text)
    await writeFile(
      path,
      text.replace(from, () => to),
    )
  }
  return async () => {
    for (const [path, text] of before) await writeFile(path, text)
  }
}
