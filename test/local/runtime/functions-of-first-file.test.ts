import { expect, it } from 'vitest'
import { functionsOfFirstFile } from '#local/runtime/functions-of-first-file.ts'
import { lambdaFunction } from '#local/runtime/resources/compute.ts'
import { readStack } from '#local/runtime/template/stack.ts'
import { synthesiseStack } from '../../support/synthesise-stack.ts'

it('only the import hook, the poller and run-job are loaded before the first file', () => {
  const template = synthesiseStack().toJSON()
  const stack = readStack(template as Parameters<typeof readStack>[0], 'Millrace', 'http://127.0.0.1:1')
  const api = stack.ofType(lambdaFunction).find(({ logicalId }) => logicalId.startsWith('StorageStorageApi'))
  const early = functionsOfFirstFile(stack, api?.arn)
  const names = stack
    .ofType(lambdaFunction)
    .filter(({ arn }) => early.has(arn))
    .map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''))
  expect(names.sort()).toEqual(['ImportStartImport', 'PollJob', 'StorageRunJob'])
})
