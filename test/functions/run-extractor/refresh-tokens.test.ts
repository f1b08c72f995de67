import { setTimeout } from 'node:timers/promises'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { beforeEach, expect, it } from 'vitest'
import type { RunResults } from '#lib/wire/run-body.ts'
import { untilEnd } from '#support/until-end.ts'
import { newExecution, startExtraction } from '../../support/extraction.ts'
import { startApi } from '../lib/extractor/api-server.ts'

const PAGES = 6
const pagination = { method: 'pagenum', pageParam: 'page', firstPageParams: true }

let used = 0
let failing = false
/** Seconds for which an access token is good. */
let lifetime: number | undefined
let configId: string
let configs = 0

/** Each refresh token is good for one login. */
const extraction = await untilEnd(startExtraction())
const api = await untilEnd(
  startApi(async ({ path, body, query }, response) => {
    if (path === '/token') {
      if (new URLSearchParams(body).get('refresh_token') !== `refresh-token-${used}`) {
        response.statusCode = 400
        return { error: 'invalid_grant' }
      }
      used++
      return {
        access_token: `access-token-${used}`,
        refresh_token: `refresh-token-${used}`,
        expires_in: lifetime,
      }
    }
    // Six pages take longer than a leg of ten milliseconds, however fast the machine is.
    await setTimeout(4)
    if (failing) response.statusCode = 410
    return Number(query.get('page')) < PAGES ? [{ id: `${path}${query.get('page')}` }] : []
  }),
)

const url = (rest = '') => `/v2/storage/components/ex-generic-v2/configs${rest}`

beforeEach(async () => {
  configId = `tokens${++configs}`
  used = 0
  failing = false
  lifetime = undefined
  await extraction.service.call('POST', url(), {
    configurationId: configId,
    name: configId,
    configuration: {
      parameters: {
        api: {
          baseUrl: `${api.origin}/`,
          pagination,
          authentication: {
            type: 'oauth2',
            grant: 'refresh_token',
            tokenUrl: 'token',
            refreshToken: { attr: '#refresh' },
          },
        },
        config: { outputBucket: configId, '#refresh': 'refresh-token-0', jobs: [{ endpoint: 'items' }] },
      },
    },
  })
})

const stored = async () => (await extraction.service.call('GET', url(`/${configId}`))).body

const addRow = (rowId: string) =>
  extraction.service.call('POST', url(`/${configId}/rows`), {
    rowId,
    name: rowId,
    configuration: { parameters: { config: { jobs: [{ endpoint: rowId }] } } },
  })

const everyDocument = async (): Promise<string> => {
  const { s3, bucket, read } = extraction.work
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
  const documents = Contents.filter(({ Key = '' }) => Key.endsWith('.json'))
  return JSON.stringify(await Promise.all(documents.map(async ({ Key = '' }) => (await read(Key))?.value)))
}

it('the legs of a run, and the run after it, log in with the token that took the place of the last', async () => {
  lifetime = 0
  const { end } = await extraction.run(configId, { settings: { legSeconds: 0.01 } })
  expect(end.result).toMatchObject({ status: 'success' })
  expect(used).toBeGreaterThan(1)
  expect(extraction.counted.at(-1)).toMatchObject({ configId, logins: used })
  expect(JSON.stringify(await stored())).not.toContain('refresh-token')
  expect((await stored()).state.millrace.refreshTokens).toEqual([
    { '#configured': expect.stringMatching(/^KBC::/), '#current': expect.stringMatching(/^KBC::/) },
  ])
  expect(await everyDocument()).not.toMatch(/(access|refresh)-token-\d/)
  expect((await extraction.run(configId)).end.result).toMatchObject({ status: 'success' })
})

it('a run that fails keeps the token', async () => {
  failing = true
  expect((await extraction.run(configId)).end.result).toMatchObject({ status: 'error' })
  failing = false
  expect((await extraction.run(configId)).end.result).toMatchObject({ status: 'success' })
})

it('a leg that dies behind its login is done again with the token that took the place of its own', async () => {
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  extraction.running.add(execution)
  await extraction.advance('begin', execution, input)
  const died = new Error('The function died')
  const work = { ...extraction.work, write: async () => Promise.reject(died) }
  const dying = { legSeconds: 0.01, work }
  await expect(extraction.advance('leg', execution, input, dying)).rejects.toBe(died)
  expect(used).toBe(1)
  expect((await extraction.run(configId, { execution })).end.result).toMatchObject({ status: 'success' })
  expect(used).toBe(2)
})

it('all rows share the token of the configuration, and keep none in their own states', async () => {
  await addRow('a')
  await addRow('b')
  expect((await extraction.run(configId)).end.result).toMatchObject({ status: 'success' })
  expect((await extraction.run(configId)).end.result).toMatchObject({ status: 'success' })
  const { state, rows } = await stored()
  expect(state.millrace.refreshTokens).toHaveLength(1)
  for (const row of rows) expect(row.state).not.toHaveProperty('millrace')
})

it('a token that does not expire is asked for once, in however many legs, and is sealed between them', async () => {
  const { end } = await extraction.run(configId, { settings: { legSeconds: 0.01 } })
  const legs = (end.result as RunResults).rows.map(row => row.legs) // of a run that was not skipped
  expect(Math.max(...legs)).toBeGreaterThan(1)
  expect(used).toBe(1)
  expect(await everyDocument()).not.toMatch(/(access|refresh)-token-\d/)
})
