import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

describe('previews of one token', () => {
  it('are two at a time, and leave those of another token alone', async () => {
    const previewing = await withStorage()
    const call = (token: string) =>
      previewing.call(
        'POST',
        '/v2/storage/components/ex-generic-v2/configs/shop/preview',
        {},
        { 'X-StorageApi-Token': token },
      )
    const newToken = async () =>
      (await previewing.call('POST', '/v2/storage/tokens', { componentAccess: ['ex-generic-v2'] })).body.token
    const [flooder, other] = [await newToken(), await newToken()]
    const parameters = { api: { baseUrl: 'http://127.0.0.1:1/' }, config: { jobs: [{ endpoint: 'a' }] } }
    await previewing.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      configurationId: 'shop',
      name: 'shop',
      configuration: { parameters },
    })
    const { counts } = previewing.stores
    const { body } = await previewing.call('GET', '/v2/storage/tokens/verify', undefined, {
      'X-StorageApi-Token': flooder,
    })
    const bound = { most: 2, minutes: 1 }
    for (let taken = 0; taken < 2; taken++) await counts.take(`previews of ${body.id}`, bound)
    const refused = await call(flooder)
    expect([refused.status, refused.body.error]).toEqual([
      429,
      expect.stringContaining('Wait until one of them has ended'),
    ])
    expect((await call(other)).status).toBe(200)
    await counts.giveBack(`previews of ${body.id}`)
    for (let times = 0; times < 3; times++) expect((await call(flooder)).status).toBe(200)
    for (let taken = 0; taken < 20; taken++) await counts.take('previews', { most: 20, minutes: 1 })
    for (let times = 0; times < 3; times++)
      expect((await call(other)).body.error).toContain('20 previews of the project are under way')
  })
})
