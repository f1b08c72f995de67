import { expect, it } from 'vitest'
import { judgeUnittest } from './judge-unittest.ts'
import { keepQuiet } from './keep-quiet.ts'

keepQuiet()

const failing = 'ERROR: test_a (tests.Case.test_a)\nFAIL: test_b (tests.Case.test_b) (<subtest>)\n'
const a = { 'tests.Case.test_a': 'reason' }

it.each([
  ['every failure is listed', 'ERROR: test_a (tests.Case.test_a)\nRan 5 tests', a, [4, 0, 1]],
  ['a failure is new', `${failing}Ran 5 tests`, a, [3, 1, 1]],
  ['a listed test passes', 'Ran 5 tests in 1s\nOK (skipped=1)', a, [4, 1, 0]],
  ['nothing ran', 'ModuleNotFoundError', {}, [0, 1, 0]],
])('counts when %s', (_, output, outOfScope, [passed, failed, differing]) => {
  expect(judgeUnittest(output, outOfScope)).toEqual({ passed, failed, differing })
})
