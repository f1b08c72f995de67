import { describe, expect, it } from 'vitest'
import { createMasterTokens, type MasterTokens } from '#functions/storage-api/services/master-tokens.ts'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { TransientError, UserError } from '#lib/errors/errors.ts'
import type { Exchange } from '#lib/storage-client/exchange.ts'
import type { Connection } from '#lib/storage-client/request.ts'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { createFetchToken } from '#lib/storage-client/storage-token.ts'
import { untilEnd } from '#support/until-end.ts'
import { startStorageService } from '../../support/storage-service.ts'

const MINUTE = 60_000
const OVERLAP_MINUTES = 60

let at = Date.parse('2026-07-16T10:00:00Z')
let versions: { text: string; createdAt: number }[]
let reads = 0
let isAway = false
const readSecret: ReadSecret = async (_arn, stage) => {
  if (isAway) throw new Error('Secrets Manager is away')
  reads += 1
  return versions.at(stage === 'AWSCURRENT' ? -1 : -2)
}
const rotate = (secret: string) => versions.push({ text: `7-42-${secret}`, createdAt: at })

/** What a container of the service knows. */
const newContainer = (): MasterTokens =>
  createMasterTokens({
    secretArn: 'arn',
    readSecret,
    overlapMs: OVERLAP_MINUTES * MINUTE,
    now: () => new Date(at),
  })

let containers: MasterTokens[]
let turn = 0
const next = () => containers[turn++ % containers.length] ?? newContainer()

const service = await untilEnd(
  startStorageService({
    masterTokens: { known: () => next().known(), readAgain: () => next().readAgain() },
  }),
)

const restart = () => {
  at += 1000 * MINUTE
  versions = [{ text: '7-42-first', createdAt: at - 1000 * MINUTE }]
  containers = [newContainer()]
  isAway = false
}

const statusWith = async (secret: string) => {
  const headers = { 'X-StorageApi-Token': `7-42-${secret}` }
  return (await service.fetchReply(new Request('http://storage.test/v2/storage/tokens/verify', { headers })))
    .status
}

describe('a master token that was replaced', () => {
  it('counts at once, also in a container that has read the one before', async () => {
    restart()
    expect(await statusWith('first')).toBe(200)
    at += MINUTE
    rotate('second')
    expect([await statusWith('second'), await statusWith('first')]).toEqual([200, 200])
  })

  it('ends with the overlap, in containers that stay warm', async () => {
    restart()
    expect(await statusWith('first')).toBe(200)
    rotate('second')
    at += (OVERLAP_MINUTES - 1) * MINUTE
    expect(await statusWith('first')).toBe(200)
    at += 6 * MINUTE
    expect([await statusWith('first'), await statusWith('second')]).toEqual([401, 200])
  })

  it('ends within five minutes when it is replaced twice, as after a theft', async () => {
    restart()
    expect(await statusWith('first')).toBe(200)
    rotate('second')
    rotate('third')
    at += 5 * MINUTE
    expect([await statusWith('first'), await statusWith('third')]).toEqual([401, 200])
  })

  it('is not looked for with each guess', async () => {
    restart()
    await statusWith('first')
    reads = 0
    for (let guess = 0; guess < 50; guess++) expect(await statusWith(`guess${guess}`)).toBe(401)
    expect(reads).toBe(0)
  })

  it('stays as it is known while Secrets Manager is away', async () => {
    restart()
    await statusWith('first')
    at += 10 * MINUTE
    isAway = true
    expect(await statusWith('first')).toBe(200)
  })
})

/** A function of the stack, with what its container knows. */
const startFunction = (name: string) => {
  const exchange = async ({ url, method, headers, body }: Exchange) => {
    const {
      status,
      text,
      headers: replied,
    } = await service.fetchReply(new Request(url, { method, headers, ...(body !== undefined && { body }) }))
    return { status, text, headers: Object.fromEntries(replied) }
  }
  const now = () => at
  const fetchToken = createFetchToken(name, readSecret, now)
  const connection = async (): Promise<Connection> => ({
    baseUrl: 'http://storage.test',
    token: await fetchToken(),
    readTokenAgain: () => fetchToken({ isRefused: true }),
    exchange,
  })
  return async () => createStorageClient(await connection())
}

describe('functions under load', () => {
  it('go on while the token is replaced again and again', async () => {
    restart()
    containers = [newContainer(), newContainer(), newContainer()]
    const bucketId = 'in.c-load'
    await (await startFunction('setup')()).createBucket(bucketId)
    const functions = Array.from({ length: 4 }, (_, index) => startFunction(`function ${index}`))
    for (let round = 0; round < 12; round++) {
      if (round % 3 === 1) rotate(`round${round}`)
      await Promise.all(
        functions.map(async (invoke, index) => {
          const storage = await invoke()
          expect(await storage.hasBucket(bucketId)).toBe(true)
          const event = { component: 'load', type: 'info' as const, message: 'alive', params: {} }
          await storage.postEvent(event, `${round}-${index}`)
        }),
      )
      at += 3 * MINUTE
    }
    expect(versions).toHaveLength(5)
  })

  it('say that a token refused for good is not the user’s matter', async () => {
    restart()
    const storage = await startFunction('wrong')()
    containers = [{ known: async () => ['7-42-other'], readAgain: async () => ['7-42-other'] }]
    const error = await storage.hasBucket('in.c-load').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(TransientError)
    expect(error).toMatchObject({ code: 'storage.ownTokenRefused' })
  })

  it('say at once that a token of a user is refused', async () => {
    restart()
    const { exchange } = { exchange: async () => ({ status: 401, text: '{"error":"no"}', headers: {} }) }
    const storage = createStorageClient({ baseUrl: 'http://storage.test', token: 'user', exchange })
    await expect(storage.hasBucket('in.c-load')).rejects.toBeInstanceOf(UserError)
  })
})
