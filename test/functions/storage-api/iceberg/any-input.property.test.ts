import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { servedEndpoints } from '#functions/storage-api/iceberg/catalog.ts'
import { refusedOperations } from '#functions/storage-api/iceberg/refused-operations.ts'
import { withStorage } from '#support/storage-service.ts'
import { runs } from '#support/thorough.ts'

const service = await withStorage()
const sourceTable = await service.createTable(await service.createBucket('main'), 'orders', 'id\n1\n')
await service.call('POST', '/v2/storage/buckets/in.c-main/table-aliases', { sourceTable, name: 'shown' })

const known: Record<string, string> = { namespace: 'in_c_main', table: 'orders', view: 'shown' }
const parameters = ['warehouse', 'pageToken', 'pageSize', 'parent', 'snapshots', 'planId', '__proto__']
const text = fc.oneof(
  fc.constantFrom('', '0', '-1', '1', 'all', 'refs', 'in_c_main', '*', '%', '\u001f', '9007199254740993'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...parameters), text), text), { maxLength: 4 })
const headers = fc.record(
  {
    'if-none-match': fc.string({ maxLength: 20 }),
    'x-iceberg-access-delegation': fc.constantFrom('vended-credentials', 'remote-signing', ',', ''),
    'content-type': fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain'),
  },
  { requiredKeys: [] },
)
const isHeaderValue = (value: string): boolean => /^[\x20-\x7e]*$/.test(value)

describe.each([...servedEndpoints, ...Object.keys(refusedOperations)])('%s', endpoint => {
  it('answers any request with what a client can act on, in the form of the specification', async () => {
    const [method = '', path = ''] = endpoint.split(' ')
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const odd = fc.oneof(fc.constant(undefined), text)
    await fc.assert(
      fc.asyncProperty(query, headers, odd, fc.string(), async (fields, sent, part, body) => {
        const target = path
          .replace('/{prefix}', '')
          .replaceAll(/\{([\w-]+)\}/g, (_, name) =>
            encodeURIComponent((part || known[name] || 'x').toWellFormed()),
          )
        const wellFormed = fields.map(pair => pair.map(each => each.toWellFormed()) as [string, string])
        const given = Object.entries(sent).filter(([, value]) => isHeaderValue(value))
        const request = new Request(
          `http://storage.test/iceberg${target}?${new URLSearchParams(wellFormed)}`,
          {
            method,
            headers: { 'X-StorageApi-Token': service.token, ...Object.fromEntries(given) },
            ...(hasBody && { body }),
          },
        )
        const { status, body: reply, text: raw } = await service.fetchReply(request)
        expect(status, raw).toBeLessThan(500)
        if (status < 400) return
        const errorForm = path.includes('/oauth/')
          ? { error: expect.any(String) }
          : { error: { code: status, type: expect.any(String), message: expect.any(String) } }
        expect(reply).toMatchObject(errorForm)
      }),
      { numRuns: runs(25) },
    )
  })
})
