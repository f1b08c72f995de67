import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { withStorage } from '../../support/storage-service.ts'
import { isThorough } from '../../support/thorough.ts'

const known: Record<string, string> = {}
const service = await withStorage({ isRunningJobs: false, jobWaitMs: 0 })
beforeAll(async () => {
  known['bucketId'] = await service.createBucket('main')
  known['fileId'] = String(await service.upload('a\n1\n'))
  const { body } = await service.call('POST', `/v2/storage/buckets/${known['bucketId']}/tables-async`, {
    name: 'a',
    dataFileId: known['fileId'],
  })
  known['jobId'] = String(body.id)
  const { executeJob } = await import('../../support/execute-job.ts')
  await executeJob(body.id, service.jobServices)
  known['tableId'] = 'in.c-main.a'
  known['tag'] = 'a'
  known['columnId'] = 'in.c-main.a.a'
  known['columnName'] = 'a'
  known['componentId'] = 'keboola.runner-config-test'
  const configs = `/v2/storage/components/${known['componentId']}/configs`
  known['configId'] = (await service.call('POST', configs, { name: 'a' })).body.id
  known['rowId'] = (await service.call('POST', `${configs}/${known['configId']}/rows`, {})).body.id
  known['versionId'] = '1'
  known['otherVersionId'] = '2'
  known['branchId'] = 'default'
  known['tokenId'] = (await service.call('POST', '/v2/storage/tokens', {})).body.id
  known['eventId'] = String(
    (await service.call('POST', '/v2/storage/events', { component: 'a', message: 'b' })).body.id,
  )
  const trigger = {
    runWithTokenId: 42,
    component: 'a',
    configurationId: 'a',
    coolDownPeriodMinutes: 1,
    tableIds: [known['tableId']],
  }
  known['triggerId'] = (await service.call('POST', '/v2/storage/triggers', trigger)).body.id
  const metadata = { metadata: [{ key: 'a', value: 'a' }] }
  known['metadataId'] = (await service.call('POST', '/v2/storage/metadata', metadata)).body[0].id
})

const namesIn = (schema: unknown): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []

/** Fields that some route knows, so that their values are reached, and any others. */
const fieldNames = [
  ...new Set(
    routes.flatMap(({ definition: { query, body, streamedBody } }) =>
      [query, body, streamedBody].flatMap(namesIn),
    ),
  ),
  ...['key', 'value', 'columnName', '#secret', '__proto__', ''],
]
const name = fc.oneof(fc.constantFrom(...fieldNames), fc.string())
/** JSON as text that what walks through it by calling itself cannot take. */
const deep = ['[', '{"1":'].map(open => `${open.repeat(20_000)}1${(open === '[' ? ']' : '}').repeat(20_000)}`)
const scalar = fc.oneof(
  fc.constantFrom(
    ...deep,
    'in',
    '1',
    'True',
    '',
    'a',
    '\0',
    '\ud800',
    '9007199254740993',
    '-1',
    '1e400',
    '%',
    'a.b',
    '*',
  ),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
)
const value = fc.oneof(
  scalar,
  fc.array(scalar),
  fc.array(fc.dictionary(name, scalar)),
  fc.object({ maxDepth: 3 }),
)
const fields = fc.array(fc.tuple(name, value)).map(entries => Object.fromEntries(entries))
const formOf = (of: object, within = ''): string[] =>
  Object.entries(of).flatMap(([key, item]) => {
    const name = within === '' ? key : `${within}[${key}]`
    if (typeof item === 'object' && item !== null) return formOf(item, name)
    return [`${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(item).toWellFormed())}`]
  })

const body = fc.oneof(
  fields.map(of => ({ type: 'application/json', body: JSON.stringify(of) })),
  fc.json().map(json => ({ type: 'application/json', body: json })),
  fields.map(of => ({ type: 'application/x-www-form-urlencoded', body: formOf(of).join('&') })),
  fc.string().map(text => ({ type: 'application/x-www-form-urlencoded', body: text.toWellFormed() })),
  fc.tuple(name, fc.string()).map(([field, text]) => ({
    type: 'multipart/form-data; boundary=b',
    body: `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${text}\r\n--b--\r\n`,
  })),
  fc.uint8Array().map(bytes => ({ type: 'multipart/form-data; boundary=b', body: bytes })),
  fc.uint8Array().map(bytes => ({ type: 'application/json', body: bytes })),
)

describe.each(routes.map(route => [route.method.toUpperCase(), route.definition.path] as const))(
  '%s %s',
  (method, path) => {
    it('answers any query and body with what a client can act on', async () => {
      const parameter = fc.oneof(fc.constant(undefined), fc.string({ minLength: 1 }))
      await fc.assert(
        fc.asyncProperty(fields, body, parameter, async (query, { type, body }, odd) => {
          const target = path.replaceAll(/\{(\w+)\}/g, (_, id) =>
            encodeURIComponent((odd ?? known[id] ?? 'x').toWellFormed()),
          )
          // What is deleted here is missed by the other routes.
          if (method === 'DELETE' && odd === undefined && path !== '/v2/storage/files/{fileId}/tags/{tag}')
            return
          const {
            status,
            body: reply,
            text,
          } = await service.fetchReply(
            new Request(`http://storage.test${target}?${formOf(query).join('&')}`, {
              method,
              headers: { 'X-StorageApi-Token': service.token, 'content-type': type },
              ...(method !== 'GET' && { body }),
            }),
          )
          const isUnderstood = status < 500 || (status === 501 && reply.code === 'notImplemented')
          expect(isUnderstood, `${status} ${text}`).toBe(true)
          if (status >= 400)
            expect(reply).toMatchObject({ status: 'error', error: expect.stringMatching(/./) })
        }),
        { numRuns: isThorough ? 40 : 15 },
      )
    })
  },
)
