import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { newExecution, startExtraction } from '../../support/extraction.ts'
import { startApi } from '../lib/extractor/api-server.ts'

const componentId = 'ex-generic-v2'
const configId = 'shop'
const configs = `components/${componentId}/configs`

const call = (method: string, path: string, body?: unknown) =>
  extraction.service.call(method, `/v2/storage/${path}`, body)

const extraction = await untilEnd(startExtraction())
const api = await untilEnd(startApi(() => [{ id: 'new' }]))
const bucketId = await extraction.service.createBucket('own')
await extraction.service.createTable(bucketId, 'items', 'id\nold\n')
const configuration = {
  parameters: {
    api: { baseUrl: `${api.origin}/` },
    config: { outputBucket: 'own', jobs: [{ endpoint: 'items' }] },
  },
}
await call('POST', configs, { configurationId: configId, name: 'Shop', configuration })
const branchId = (await call('POST', 'dev-branches', { name: 'runs' })).body.results.id

const preview = async (at = '') => (await call('GET', `${at}tables/in.c-own.items/data-preview`)).text

it('a run in a branch writes the branch’s tables and state, and its events are of the branch', async () => {
  const at = `branch/${branchId}/`
  const { end } = await extraction.run(configId, { branchId })
  expect(end.result).toMatchObject({ status: 'success', rowsLoaded: 1 })
  expect(await preview(at)).toBe('"id"\n"new"\n')
  expect(await preview()).toBe('"id"\n"old"\n')
  expect((await call('GET', `${at}${configs}/${configId}`)).body.state).toMatchObject({ time: {} })
  expect((await call('GET', `${configs}/${configId}`)).body.state).toEqual({})
  const finished = `events?component=${componentId}&q=${encodeURIComponent('message:finished')}`
  expect((await call('GET', `${at}${finished}`)).body).toMatchObject([{ idBranch: branchId }])
  expect((await call('GET', finished)).body).toEqual([])
})

it('waits for no run of the same configuration in another branch', async () => {
  const place = { componentId, configId }
  const { leases } = extraction.services()
  const ofDefault = newExecution()
  extraction.running.add(ofDefault)
  await leases.take(place, ofDefault)
  const { end } = await extraction.run(configId, { branchId, overlap: 'skip' })
  expect(end.result).toMatchObject({ status: 'success' })
  await leases.release(place, ofDefault)
})
