import { expect, it } from 'vitest'
import { judgePytest } from './judge-pytest.ts'
import { keepQuiet } from './keep-quiet.ts'

keepQuiet()

const end = '1 failed, 3 passed in 12.50s (0:00:12)\n'
const passing = 'PASSED integtests/test_a.py::test_one[a b]\nPASSED integtests/test_a.py::test_one[c]\n'
const failing = 'FAILED integtests/test_a.py::Case::test_two[x - y] - AssertionError: no\n'
const byTime = { 'test_a.py::test_slow': 'reason' }
const listed = { 'test_a.py::Case::test_two': 'reason' }

it.each([
  ['all pass', passing + end, {}, [2, 0, 0]],
  ['a failure is new', passing + failing + end, {}, [2, 1, 0]],
  ['a set-up fails', `${passing}ERROR integtests/test_b.py::test_three - no\n${end}`, {}, [2, 1, 0]],
  ['a failure is listed', passing + failing + end, listed, [2, 0, 1]],
  ['a listed test passes', passing + end, listed, [2, 1, 0]],
  ['a test goes by time', `${passing}FAILED integtests/test_a.py::test_slow[a] - no\n${end}`, {}, [2, 0, 0]],
  ['the run was cut off', passing, {}, [2, 1, 0]],
  ['nothing ran', 'no module named pytest', {}, [0, 1, 0]],
])('counts when %s', (_, output, outOfScope, [passed, failed, differing]) => {
  expect(judgePytest(output, { outOfScope, byTime })).toEqual({ passed, failed, differing })
})
