import { expect, it } from 'vitest'
import { judgePhpunit } from './judge-phpunit.ts'
import { keepQuiet } from './keep-quiet.ts'

keepQuiet()

const of = (name: string, inner?: string) =>
  `<testcase name="${name}" class="Keboola\\Test\\Common\\A" file="a.php"${inner ? `>${inner}</testcase>` : '/>'}`
const failure = '<failure type="E">\n</failure>'
const failing = [of('a with data set &quot;x&quot;', failure), of('b', failure), of('c')].join('\n')
const listed = (outOfScope: Record<string, string>, byTime = {}) => ({ outOfScope, byTime })

it.each([
  ['every failure is listed', failing, listed({ 'Common\\A::a': 'r', 'Common\\A::b': 'r' }), [1, 0, 2]],
  ['a whole class is listed', failing, listed({ 'Common\\A': 'r' }), [1, 0, 2]],
  ['a failure is new', failing, listed({ 'Common\\A::a': 'r' }), [1, 1, 1]],
  ['a listed test passes', of('a'), listed({ 'Common\\A::a': 'r' }), [1, 1, 0]],
  ['a test ends by the speed of the machine', failing, listed({}, { 'Common\\A::b': 'r' }), [1, 1, 0]],
  ['a test is skipped', [of('a', '<skipped/>'), of('c')].join(''), listed({}), [1, 0, 0]],
  ['nothing ran', '', listed({}), [0, 1, 0]],
])('counts when %s', (_, report, known, [passed, failed, differing]) => {
  expect(judgePhpunit([report], known)).toEqual({ passed, failed, differing })
})
