import { expect, it } from 'vitest'
import { threadEnvironment } from '#lib/extractor/tables/thread-environment.ts'

it('says to a thread where compiled code is kept, if it is', () => {
  const environment = { TZ: 'UTC' }
  const kept = { TZ: 'UTC', NODE_COMPILE_CACHE: '/kept' }
  expect(threadEnvironment(environment, `/kept/${process.version}-x64-964aae3f-0`)).toEqual(kept)
  expect(threadEnvironment(environment, '/kept')).toEqual(kept)
  expect(threadEnvironment(environment, undefined)).toBe(environment)
})
