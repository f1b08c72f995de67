import { expect, it } from 'vitest'
import { lambdaFunction } from '#local/runtime/resources/compute.ts'
import { functionDefinitions, stateMachines } from '#local/runtime/stack-functions.ts'
import { synthesise } from '#local/runtime/synthesise.ts'
import { readAssembly } from '#local/runtime/template/assembly.ts'
import { readStack } from '#local/runtime/template/stack.ts'

it('knows every resource, function and state machine of the real stack', async () => {
  const assembly = await readAssembly(await synthesise())
  const stack = readStack(assembly.template, assembly.stackName, 'http://a')
  expect(functionDefinitions(stack, assembly)).toHaveLength(stack.ofType(lambdaFunction).length)
  expect(stateMachines(stack).map(({ name }) => name)).toContain('Millrace-jobs')
  const ids = stack.ofType(lambdaFunction).map(({ logicalId }) => logicalId)
  for (const needed of ['ImportStartImport', 'PollJob', 'StorageRunJob'])
    expect(ids.filter(id => id.startsWith(needed))).toHaveLength(1)
})
