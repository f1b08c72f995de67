import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRunShares } from '#functions/run-extractor/run-shares.ts'
import { type Extraction, startExtraction } from '#support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

let extraction: Extraction
let api: ApiServer
beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(() => [{ id: 1 }])
})
afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

const settingsWith = (limits: { runsPerToken: number; runsPerProject: number }) => ({
  shares: createRunShares({
    work: extraction.work,
    limits,
    isRunning: async arn => extraction.running.has(arn),
  }),
})

const executionOf = (name: string) => `arn:aws:states:us-east-1:1:execution:extract:${name}`
const call = async (method: string, path: string, body?: object, token = extraction.service.token) =>
  (await extraction.service.call(method, `/v2/storage/${path}`, body, { 'X-StorageApi-Token': token })).body

const newToken = async (): Promise<string> =>
  (await call('POST', 'tokens', { canManageBuckets: true, componentAccess: ['ex-generic-v2'] })).token

/** Configurations of a token, each due at the same time. */
const due = async (token: string, prefix: string, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
  for (const configurationId of ids)
    await call(
      'POST',
      'components/ex-generic-v2/configs',
      {
        configurationId,
        name: configurationId,
        configuration: {
          schedule: 'rate(1 hour)',
          parameters: {
            api: { baseUrl: `${api.origin}/` },
            config: { outputBucket: configurationId, jobs: [{ endpoint: 'items' }] },
          },
        },
      },
      token,
    )
  return ids
}

type Given = ReturnType<typeof settingsWith>
const begin = async (configId: string, settings: Given) => {
  const execution = executionOf(configId)
  extraction.running.add(execution)
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const, isOwnSchedule: true }
  return (await extraction.advance('begin', execution, input, settings)).next
}
const finish = async (configId: string, settings: Given) => {
  const execution = executionOf(configId)
  await extraction.run(configId, { execution, settings, isOwnSchedule: true })
}

it('runs of schedules wait in the machine while as many of their token are under way; those of others begin', async () => {
  const settings = settingsWith({ runsPerToken: 2, runsPerProject: 10 })
  const [flooder, other] = [await newToken(), await newToken()]
  const [first = '', second = '', third = '', stopped = ''] = await due(flooder, 'flood', 5)
  const [own = ''] = await due(other, 'own', 1)
  const next: string[] = []
  for (const id of [first, second, third, own, third]) next.push(await begin(id, settings))
  expect(next).toEqual(['leg', 'leg', 'begin', 'leg', 'begin'])
  const told = await call('GET', `events?q=which is its share&component=ex-generic-v2`)
  expect(told.map((event: { configurationId: string }) => event.configurationId)).toEqual([third])

  await finish(first, settings)
  expect(await begin(third, settings)).toBe('leg')
  // An execution that somebody stopped gives nothing back.
  expect(await begin(stopped, settings)).toBe('begin')
  extraction.running.delete(executionOf(second))
  expect(await begin(stopped, settings)).toBe('leg')
})

it('the share of the project leaves each token its first run', async () => {
  await extraction.work.write('shares/project.json', [], 'any')
  const settings = settingsWith({ runsPerToken: 5, runsPerProject: 1 })
  const ids = await due(await newToken(), 'many', 3)
  const [own = ''] = await due(await newToken(), 'few', 1)
  const next: string[] = []
  for (const id of [...ids, own]) next.push(await begin(id, settings))
  expect(next).toEqual(['leg', 'leg', 'begin', 'leg'])
})

it('runs that others than schedules start have their share elsewhere', async () => {
  const settings = settingsWith({ runsPerToken: 0, runsPerProject: 0 })
  const [id = ''] = await due(await newToken(), 'by-hand', 1)
  expect((await extraction.run(id, { settings })).end.result).toMatchObject({ status: 'success' })
})
