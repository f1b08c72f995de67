import { expect, it } from 'vitest'
import { functionCores } from '#lib/aws/cores.ts'

it.each([
  ['128', 1],
  ['1769', 1],
  ['3008', 1],
  ['3538', 2],
  ['10240', 5],
])('a Lambda function of %s MiB has %i whole cores', (memory, cores) => {
  expect(functionCores({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory })).toBe(cores)
})

it('on one machine a function has the cores of the machine, whatever its memory', () => {
  expect(functionCores({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1769', MACHINE_CORES: '2' })).toBe(2)
})

it('outside of both it has what Node sees', () => {
  expect(functionCores({})).toBeGreaterThanOrEqual(1)
})
