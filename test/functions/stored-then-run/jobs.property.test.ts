import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startJobsByHand } from '#support/jobs-by-hand.ts'
import { runs } from '#support/thorough.ts'

const byHand = await startJobsByHand()
const { service } = byHand
const OWN = 'in.c-main'

interface Token {
  id: string
  headers: Record<string, string>
}

const call = async (method: string, path: string, body?: object, by?: Token) =>
  service.call(method, `/v2/storage/${path}`, body, by?.headers)
const done = async (method: string, path: string, body?: object) => {
  const { body: job } = await call(method, path, body)
  await byHand.execute(job.id)
  return (await byHand.jobOf(job.id)).results
}
const load = async (bucketId: string, name: string): Promise<string> => {
  const dataFileId = await service.upload('id,city,pin\n1,Brno,4711\n')
  await done('POST', `buckets/${bucketId}/tables-async`, { name, dataFileId })
  return `${bucketId}.${name}`
}

const SOURCE = await service.createBucket('source')
await load(SOURCE, 'people')
await load(OWN, 'own')
const fileId = await service.upload('id,city,pin\n2,Praha,1\n')
const snapshotId = Number((await done('POST', `tables/${SOURCE}.people/snapshots`, {})).id)

/** An alias that hides a column, anew for each story. */
const createAlias = async (): Promise<string> => {
  const name = byHand.newName()
  const sent = { sourceTable: `${SOURCE}.people`, name, aliasColumns: ['id', 'city'] }
  return (await call('POST', `buckets/${OWN}/table-aliases`, sent)).body.id
}

/** An export with another limit is none that is there already. */
let others = 1_000

interface Request {
  method: string
  path: string
  body?: object
}

/** What is stored as a job: it reads or changes what others have stored. */
const requests: Record<string, (alias: string) => Request> = {
  'load of a file of somebody else': () => ({
    method: 'POST',
    path: `tables/${OWN}.own/import-async`,
    body: { dataFileId: fileId, incremental: 1 },
  }),
  'table of a file of somebody else': () => ({
    method: 'POST',
    path: `buckets/${OWN}/tables-async`,
    body: { name: byHand.newName(), dataFileId: fileId },
  }),
  'copy of a table as it was': () => ({
    method: 'POST',
    path: `buckets/${OWN}/tables-async`,
    body: { name: byHand.newName(), sourceTableId: `${SOURCE}.people` },
  }),
  'table of a snapshot': () => ({
    method: 'POST',
    path: `buckets/${OWN}/tables-async`,
    body: { name: byHand.newName(), snapshotId },
  }),
  'export of a table': () => ({ method: 'POST', path: `tables/${SOURCE}.people/export-async`, body: {} }),
  'export of an alias': alias => ({ method: 'POST', path: `tables/${alias}/export-async`, body: {} }),
  'export by a column that an alias hides': alias => ({
    method: 'POST',
    path: `tables/${alias}/export-async`,
    body: { whereColumn: 'pin', whereValues: ['4711'], limit: ++others },
  }),
  'export in the order of a column that an alias hides': alias => ({
    method: 'POST',
    path: `tables/${alias}/export-async`,
    body: { orderBy: [{ column: 'pin' }], limit: ++others },
  }),
  'column that an alias hides': alias => ({
    method: 'POST',
    path: `tables/${alias}/columns`,
    body: { name: 'pin' },
  }),
  'column that an alias shows, away': alias => ({ method: 'DELETE', path: `tables/${alias}/columns/city` }),
  'rows away': () => ({ method: 'DELETE', path: `tables/${OWN}.own/rows?allowTruncate=1` }),
  'snapshot of a table': () => ({ method: 'POST', path: `tables/${SOURCE}.people/snapshots`, body: {} }),
}

// Most may do most: a job that was refused at once shows nothing.
const permission = fc.constantFrom('none', 'read', 'write', 'write', 'write')
const settings = fc.record({
  own: permission,
  source: permission,
  canReadAllFileUploads: fc.constantFrom(true, true, false),
  canManageBuckets: fc.integer({ min: 0, max: 5 }).map(one => one === 0),
})
const settingsOf = ({ own, source, ...others }: { own: string; source: string }) => ({
  ...others,
  bucketPermissions: Object.fromEntries(
    Object.entries({ [OWN]: own, [SOURCE]: source }).filter(([, granted]) => granted !== 'none'),
  ),
})

it('a job that waited reads and changes nothing that its token could not ask for when it runs', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      settings,
      fc.option(settings),
      fc.constantFrom(...Object.keys(requests)),
      async (given, later, kind) => {
        const { body: made } = await call('POST', 'tokens', settingsOf(given))
        const token = { id: made.id, headers: { 'X-StorageApi-Token': made.token } }
        const alias = await createAlias()
        const request = requests[kind]?.(alias) ?? { method: '', path: '' }
        const { method, path, body } = request
        const reply = await call(method, path, body, token)
        if (reply.status !== 202) return
        if (later !== null) await call('PUT', `tokens/${token.id}`, settingsOf(later))
        else await call('DELETE', `tokens/${token.id}`)
        // As somebody asks for the very same at this moment, before it is done.
        const again = requests[kind]?.(alias) ?? request
        const direct = await call(again.method, again.path, again.body, token)
        const before = (await call('GET', `tables/${alias}`)).body
        await byHand.execute(reply.body.id)
        const { status } = await byHand.jobOf(reply.body.id)
        seen.add(`${kind} ${status}`)
        if (direct.status < 300) return byHand.execute(direct.body.id)
        expect([kind, status]).toEqual([kind, 'error'])
        expect((await call('GET', `tables/${alias}`)).body).toEqual(before)
      },
    ),
    { numRuns: runs(600), seed: 30 },
  )
  for (const kind of Object.keys(requests)) {
    expect(seen).toContain(`${kind} success`)
    expect(seen).toContain(`${kind} error`)
  }
})
