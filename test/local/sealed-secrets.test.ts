import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { createOpener } from '../../functions/lib/storage/secrets/create-opener.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { secretsKeyArn } from '../../local/runtime/names.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'

const componentId = 'keboola.runner-config-test'
const ownerOf = (configId: string) => ({ projectId: 1, componentId, configId })

const dataDir = folderUntilEnd()
let cloud: EmbeddedCloud
beforeAll(async () => {
  cloud = await startCloud({ dataDir })
})
afterAll(async () => {
  await cloud?.close()
})

const Configuration = z.object({ id: z.string(), configuration: z.record(z.string(), z.unknown()) })

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${cloud.api}/v2/storage/components/${componentId}/configs${path}`, {
    method,
    headers: { 'X-StorageApi-Token': cloud.token ?? '', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return Configuration.parse(await response.json())
}

const opener = () => createOpener({ keyArn: secretsKeyArn, keys: cloud.host.keys })

describe('a secret on one machine', () => {
  it('is sealed by the role of the API under a key that survives a restart', async () => {
    const { id, configuration } = await call('POST', '', { name: 'a', configuration: { '#token': 'plain' } })
    expect(configuration['#token']).toMatch(/^KBC::ProjectSecure::/)
    expect(await opener()(configuration, ownerOf(id))).toEqual({ '#token': 'plain' })

    // Many are sealed under a data key: another right.
    const many = { '#list': Array.from({ length: 11 }, (_, index) => `plain ${index}`) }
    const sealed = await call('POST', '', { name: 'b', configuration: many })
    expect(await opener()(sealed.configuration, ownerOf(sealed.id))).toEqual(many)

    await cloud.close()
    cloud = await startCloud({ dataDir })
    const again = await call('GET', `/${id}`)
    expect(again.configuration).toEqual(configuration)
    expect(await opener()(again.configuration, ownerOf(id))).toEqual({ '#token': 'plain' })
  })

  it('is opened by the role of the preview, which the API may call', async () => {
    const api = await startApi(({ headers }) => [
      { id: 1, key: headers['x-key'] === 'plain' ? 'right' : 'wrong' },
    ])
    const headers = { 'X-StorageApi-Token': cloud.token ?? '', 'content-type': 'application/json' }
    const configs = `${cloud.api}/v2/storage/components/ex-generic-v2/configs`
    const post = async (path: string, body: object) =>
      (await fetch(`${configs}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    try {
      const http = { headers: { 'X-Key': { attr: '#key' } } }
      const configuration = {
        parameters: {
          api: { baseUrl: api.origin, http },
          config: { '#key': 'plain', jobs: [{ endpoint: 'orders' }] },
        },
      }
      await post('', { configurationId: 'shop', name: 'Shop', configuration })
      expect(await post('/shop/preview', { rows: 1 })).toMatchObject({
        error: null,
        tables: [{ columns: ['id', 'key'], rows: [['1', 'right']] }],
      })
    } finally {
      await api.close()
    }
  })
})
