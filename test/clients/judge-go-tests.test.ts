import { expect, it } from 'vitest'
import { judgeGoTests } from './judge-go-tests.ts'
import { keepQuiet } from './keep-quiet.ts'

keepQuiet()

const run = (name: string, end: string) => `=== RUN   ${name}\n    ${name}.go:1: said\n${end}`
const passing = run('TestA', '--- PASS: TestA (0.00s)\n    --- PASS: TestA/inner (0.00s)\n')
const failing = run('TestB', '--- FAIL: TestB (0.00s)\n')
const skipped = run('TestC', '--- SKIP: TestC (0.00s)\n')

it.each([
  ['all pass', passing + skipped, {}, [1, 0, 0]],
  ['a failure is new', passing + failing, {}, [1, 1, 0]],
  ['a failure is listed', passing + failing, { TestB: 'reason' }, [1, 0, 1]],
  ['a test ends the process', passing + run('TestB', 'panic: nothing there\n'), {}, [1, 1, 0]],
  ['a listed test passes', passing, { TestA: 'reason' }, [1, 1, 0]],
  ['nothing ran', 'no such file', {}, [0, 1, 0]],
])('counts when %s', (_, output, outOfScope, [passed, failed, differing]) => {
  expect(judgeGoTests(output, outOfScope)).toEqual({ passed, failed, differing })
})
