import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { newExecution } from '../support/extraction.ts'
import { killAtWrites } from './kill-at-writes.ts'
import { startWorld } from './world.ts'

const ROWS = [
  ['1', 'a'],
  ['2', 'b'],
]

const world = await untilEnd(startWorld())
const api = await untilEnd(startApi(async () => ROWS.map(([id, v]) => ({ id, v }))))

let configs = 0

it(`a leg and its load, dying ${chosenKills}, add each row once`, async () => {
  const { extraction, service, s3With } = world
  const { writes } = await killAtWrites(world, async attempt => {
    const configId = `leg${++configs}`
    // Without a key: a row that came twice would be there twice.
    const config = { outputBucket: configId, incrementalOutput: true, jobs: [{ endpoint: 'items' }] }
    await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      configurationId: configId,
      name: configId,
      configuration: { parameters: { api: { baseUrl: `${api.origin}/` }, config } },
    })
    const execution = newExecution()
    await attempt(async () => {
      const { end } = await extraction.run(configId, { execution, settings: { s3With } })
      expect(end.result).toMatchObject({ status: 'success' })
    })
    const load = { name: 'run', mode: 'incremental' as const, rows: ROWS, order: 1, state: 'done' as const }
    return { tables: [{ name: `in.c-${configId}.items`, key: [], loads: [load] }] }
  })
  expect(writes).toBeGreaterThanOrEqual(20)
})
