import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ApiServer } from '#local/runtime/api/api-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

it('removes what a killed process left in its folder, and leaves nothing there itself', async () => {
  const temporaryRoot = join(folder.path, 'tmp-api')
  mkdirSync(join(temporaryRoot, 'api-killed'), { recursive: true })
  writeFileSync(join(temporaryRoot, 'api-killed', 'left'), 'over')
  const server = await ApiServer.listen({
    port: 0,
    host: '127.0.0.1',
    modulePath: join(import.meta.dirname, 'fixtures', 'flow.mjs'),
    exportName: 'handler',
    memoryMiB: 128,
    temporaryRoot,
    functionLog: { write: () => {}, close: async () => {} },
    log: () => {},
  })
  try {
    expect(await readdir(temporaryRoot)).toEqual([expect.not.stringContaining('killed')])
  } finally {
    await server.close()
  }
  expect(await readdir(folder.path)).toEqual([])
})
