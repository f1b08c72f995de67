import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { projectRoot } from '../../local/runtime/project-root.ts'
import { isThorough } from '../support/thorough.ts'
import { readArguments } from './arguments.ts'
import { runSoak } from './run-soak.ts'

it('reads seed and minutes', () => {
  expect(readArguments(['--seed', '9', '--minutes', '0.5'])).toMatchObject({ seed: 9, minutes: 0.5 })
  expect(readArguments([])).toMatchObject({ seed: 1, minutes: 5, durability: undefined })
})

it.each([
  [['--seed', 'x'], /--seed/],
  [['--minutes', '0'], /--minutes/],
  [['--durability', 'some'], /--durability/],
  [['--sed', '1'], /--sed/],
])('refuses %j and names it', (args, message) => {
  expect(() => readArguments(args)).toThrow(message)
})

it('the command says what is wrong with its arguments', async () => {
  const run = promisify(execFile)(process.execPath, [join(projectRoot, 'test/soak/soak.ts'), '--seed', 'x'])
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: npm run soak') })
})

it('a short soak with one kill finds no difference', async () => {
  const report = await runSoak({
    seed: 1,
    minutes: isThorough ? 0.25 : 0.01, // The shorter one is over after its first phase.
    durability: 'relaxed',
    schedule: { clients: 2, stepsPerClient: isThorough ? 6 : 4, stops: 1 },
    log: () => {},
  })
  expect(report.differences).toEqual([])
  expect(report.operations).toBeGreaterThan(10)
  expect(report.kills).toBeGreaterThan(0)
  expect(report.starts).toBeGreaterThan(1)
})
