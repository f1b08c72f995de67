import { expect, it } from 'vitest'
import { startScheduledRuns } from '#functions/tick/due-schedules.ts'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { startStorageService } from '#support/storage-service.ts'

const componentId = 'keboola.runner-config-test'
const path = `/v2/storage/components/${componentId}/configs`

it('reads no configuration without a schedule from our own service', async () => {
  const heads = new Set<string>()
  const service = await startStorageService({
    items: items => ({
      ...items,
      get: key => {
        if (key.pk.startsWith('CONFIGS#')) heads.add(key.sk)
        return items.get(key)
      },
      query: (pk, range) => {
        if (pk.startsWith('CONFIGS#')) heads.add('all')
        return items.query(pk, range)
      },
    }),
  })
  try {
    const tokenPath = '/v2/storage/tokens'
    const { body } = await service.call('POST', tokenPath, {
      description: 'author',
      componentAccess: [componentId],
    })
    const author = { 'X-StorageApi-Token': body.token as string }
    for (let index = 0; index < 12; index++) {
      const configuration = index % 5 === 1 ? { schedule: 'rate(1 minute)' } : {}
      const settings = { configurationId: `c-${index}`, name: 'c', configuration }
      expect((await service.call('POST', path, settings, author)).status).toBe(201)
    }
    heads.clear()
    const connection = {
      baseUrl: 'http://storage.test',
      token: service.token,
      exchange: async ({
        url,
        method,
        headers,
      }: {
        url: string
        method: string
        headers: Record<string, string>
      }) => {
        const { status, text } = await service.fetchReply(new Request(url, { method, headers }))
        return { status, headers: {}, text }
      },
    }
    const started: unknown[] = []
    await startScheduledRuns(new Date(Date.now() + 120_000), {
      storage: createStorageClient(connection),
      components: [componentId],
      startRun: async (_, { configId }) => void started.push(configId),
      log: { warn: () => {} },
    })
    expect(started).toEqual(['c-1', 'c-11', 'c-6'])
    expect([...heads].toSorted()).toEqual(['c-1', 'c-11', 'c-6'].map(id => `${componentId}/${id}`))
  } finally {
    await service.close()
  }
})
