import { expect, it } from 'vitest'
import { schedulesOfService, startDueRuns } from '#functions/tick/due-schedules.ts'
import { startStorageService } from '#support/storage-service.ts'

const componentId = 'keboola.runner-config-test'
const path = `/v2/storage/components/${componentId}/configs`

it('reads no configuration from our own service to know what is due', async () => {
  const heads: string[] = []
  const service = await startStorageService({
    items: items => ({
      ...items,
      get: key => {
        if (key.pk.startsWith('CONFIGS#')) heads.push(key.sk)
        return items.get(key)
      },
      query: (pk, range) => {
        if (pk.startsWith('CONFIGS#')) heads.push('all')
        return items.query(pk, range)
      },
    }),
  })
  try {
    for (let index = 0; index < 12; index++) {
      const configuration = index % 5 === 1 ? { schedule: 'rate(1 minute)' } : {}
      const settings = { configurationId: `c-${index}`, name: 'c', configuration }
      expect((await service.call('POST', path, settings)).status).toBe(201)
    }
    heads.length = 0
    const started: unknown[] = []
    const schedules = schedulesOfService(service.jobServices, [componentId])
    await startDueRuns(new Date(Date.now() + 120_000), schedules, {
      storage: { postEvent: async () => {} },
      startRun: async (_, { configId }) => void started.push(configId),
      log: { warn: () => {}, error: () => {} },
    })
    expect(started).toEqual(['c-1', 'c-6', 'c-11'])
    expect(heads).toEqual([])
  } finally {
    await service.close()
  }
})
