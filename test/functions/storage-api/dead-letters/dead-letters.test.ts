import { beforeEach, describe, expect, it } from 'vitest'
import { hasNewestVersion, inputOfNewest } from '#functions/storage-api/services/redrive-execution.ts'
import { UserError } from '#lib/errors/errors.ts'
import { WHOLE } from '#lib/storage/failures/subject.ts'
import { withStorage } from '#support/storage-service.ts'

/** Names of the executions that were started: a repeated name starts nothing. */
const started = new Set<string>()
let failsAfterStart = false

const service = await withStorage({
  redriveExecution: async (letter, { version }) => {
    const { id, machine } = letter
    const input = version === 'newest' ? inputOfNewest(letter) : letter.input
    if (machine === 'jobs') throw new UserError('storage.deadLetters.notRedrivable', 'Not this one.')
    started.add(`redrive-${id} ${JSON.stringify(input)}`)
    if (failsAfterStart) throw new Error('the process died')
    return `arn:execution:redrive-${id}`
  },
})
beforeEach(async () => {
  started.clear()
  failsAfterStart = false
  for await (const { id } of service.stores.failures.list()) await service.stores.failures.delete(id)
})

const keep = async (
  name: string,
  {
    machine = 'import',
    code = 'invalidCsv',
    input = { key: name } as Record<string, unknown>,
    details = {} as Record<string, unknown>,
  } = {},
) => {
  const at = '2026-03-01T12:00:00.000Z'
  await service.stores.failures.keep(
    {
      at,
      machine,
      source: { machine: 'arn:machine', execution: `arn:execution:${name}` },
      input,
      details,
      failure: { code, message: `${name} is wrong` },
    },
    { name, scope: WHOLE, at },
  )
  const [kept] = await Array.fromAsync(service.stores.failures.list())
  return String(kept?.id)
}

const call = (method: string, path = '', body?: unknown, headers?: Record<string, string>) =>
  service.call(method, `/v2/storage/dead-letters${path}`, body, headers)

const idsOf = async (query = ''): Promise<string[]> =>
  (await call('GET', query)).body.map(({ id }: { id: string }) => id)

describe('dead letters', () => {
  it('are listed newest first, by machine and code, in pages', async () => {
    const a = await keep('a')
    const b = await keep('b', { machine: 'extract', code: 'extractor.http' })
    const c = await keep('c')
    expect(await idsOf()).toEqual([c, b, a])
    expect(await idsOf('?machine=extract')).toEqual([b])
    expect(await idsOf('?code=invalidCsv&limit=1&offset=1')).toEqual([a])
    expect(await idsOf(`?maxId=${b}`)).toEqual([a])
  })

  it('say what failed, why, and how it is tried again', async () => {
    const id = await keep('a')
    expect((await call('GET', `/${id}`)).body).toEqual({
      id,
      machine: 'import',
      source: { machine: 'arn:machine', execution: 'arn:execution:a' },
      input: { key: 'a' },
      failure: { code: 'invalidCsv', message: 'a is wrong' },
      details: {},
      created: '2026-03-01T12:00:00+0000',
      isRedrivable: true,
      hasNewestVersion: false,
      redrive: 'npx millrace execute import -',
    })
  })

  it('are gone when they were redriven, which starts the same input and makes an event', async () => {
    const id = await keep('a')
    const { status, body } = await call('POST', `/${id}/redrive`)
    expect([status, body]).toEqual([200, { id, execution: `arn:execution:redrive-${id}` }])
    expect([...started]).toEqual([`redrive-${id} {"key":"a"}`])
    expect(await idsOf()).toEqual([])
    const { body: events } = await service.call(
      'GET',
      '/v2/storage/events?q=event:storage.deadLetterRedriven&limit=1',
    )
    expect(events[0]).toMatchObject({
      objectType: 'deadLetter',
      objectId: id,
      params: { input: { key: 'a' } },
    })
  })

  it('are not lost when the process dies after the start, and start nothing twice', async () => {
    const id = await keep('a')
    failsAfterStart = true
    expect((await call('POST', `/${id}/redrive`)).status).toBe(500)
    expect(await idsOf()).toEqual([id])
    failsAfterStart = false
    expect((await call('POST', `/${id}/redrive`)).status).toBe(200)
    expect(started.size).toBe(1)
    expect((await call('POST', `/${id}/redrive`)).status).toBe(404)
  })

  it('of an import can be started with the newest version of its object, whatever version failed', async () => {
    const event = {
      source: 'aws.s3',
      'detail-type': 'Object Created',
      detail: { bucket: { name: 'landing' }, object: { key: 'in.c-main/a.csv', 'version-id': 'bad' } },
    }
    const id = await keep('a', { input: event })
    expect((await call('GET', `/${id}`)).body.hasNewestVersion).toBe(true)
    expect((await call('POST', `/${id}/redrive`, { version: 'newest' })).status).toBe(200)
    expect([...started]).toEqual([`redrive-${id} {"bucket":"landing","key":"in.c-main/a.csv"}`])
    const named = { bucket: 'landing', key: 'in.c-main/b.csv', versionId: 'bad' }
    expect(inputOfNewest({ machine: 'import', input: named })).toEqual({
      bucket: 'landing',
      key: 'in.c-main/b.csv',
    })
  })

  it('that are about no object have no newest version', async () => {
    const id = await keep('run', { machine: 'extract', input: { componentId: 'x', configId: '1' } })
    const { status, body } = await call('POST', `/${id}/redrive`, { version: 'newest' })
    expect([status, body.code]).toEqual([400, 'storage.deadLetters.notRedrivable'])
    expect((await call('POST', `/${id}/redrive`, { version: 'older' })).status).toBe(400)
    expect(await idsOf()).toEqual([id])
    expect(hasNewestVersion({ machine: 'extract', input: { bucket: 'b', key: 'k' } })).toBe(false)
  })

  it('are redriven all at once, the oldest first; what cannot be started stays and says why', async () => {
    const a = await keep('a')
    const b = await keep('b')
    const job = await keep('job', { machine: 'jobs' })
    const { body } = await call('POST', '/redrive', {})
    expect(body).toEqual({
      redriven: [a, b].map(id => ({ id, execution: `arn:execution:redrive-${id}` })),
      refused: [{ id: job, reason: 'Not this one.' }],
      hasMore: false,
    })
    expect(await idsOf()).toEqual([job])
    expect((await call('GET', `/${job}`)).body.isRedrivable).toBe(false)
  })

  it('are redriven by machine or code, a hundred at a time', async () => {
    for (let index = 0; index < 102; index++) await keep(`many${index}`)
    const other = await keep('other', { machine: 'extract' })
    const first = (await call('POST', '/redrive', { machine: 'import' })).body
    expect([first.redriven.length, first.hasMore]).toEqual([100, true])
    const rest = (await call('POST', '/redrive', { machine: 'import' })).body
    expect([rest.redriven.length, rest.hasMore]).toEqual([2, false])
    expect(await idsOf()).toEqual([other])
  })

  it('can be deleted', async () => {
    const id = await keep('a')
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await call('DELETE', `/${id}`)).status).toBe(404)
    expect((await call('GET', '/none')).body.code).toBe('storage.deadLetters.notFound')
  })

  it('are for tokens that manage all buckets', async () => {
    const id = await keep('a')
    const { body: limited } = await service.call('POST', '/v2/storage/tokens', { description: 'limited' })
    const headers = { 'X-StorageApi-Token': limited.token }
    for (const [method, path] of [
      ['GET', ''],
      ['GET', `/${id}`],
      ['POST', `/${id}/redrive`],
      ['POST', '/redrive'],
      ['DELETE', `/${id}`],
    ] as const)
      expect([path, (await call(method, path, method === 'POST' ? {} : undefined, headers)).status]).toEqual([
        path,
        403,
      ])
    expect(started.size).toBe(0)
  })

  it('of an export bring a file to nobody who may not read it', async () => {
    const fileId = await service.upload('id\n1\n')
    const input = { fileId, destination: { bucket: 'exports', key: 'f.csv' } }
    const id = await keep('of a file', { machine: 'export', input })
    const { body } = await service.call('POST', '/v2/storage/tokens', {
      description: 'manager',
      canManageBuckets: true,
    })
    const headers = { 'X-StorageApi-Token': body.token }
    expect((await call('POST', `/${id}/redrive`, {}, headers)).status).toBe(403)
    expect((await call('POST', '/redrive', {}, headers)).body).toMatchObject({
      redriven: [],
      refused: [{ id }],
    })
    expect(started.size).toBe(0)
    expect((await call('POST', `/${id}/redrive`, {})).status).toBe(200)
  })
})
