import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const component = 'keboola.runner-config-test'
const denied = { code: 'accessDenied', error: "You don't have access to the resource." }

let tableId: string
const made: string[] = []
const target = await connectTarget()
const bucketId = await target.createBucket('rights')
const dataFileId = await target.upload('id\n1\n')
beforeAll(async () => {
  const { results } = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 't', dataFileId })
  tableId = results.id
})
afterAll(async () => {
  for (const id of made) await target.call('DELETE', `tokens/${id}`)
})

/** A new token, and requests with it. */
const newToken = async (settings: object = {}) => {
  const { status, body, text } = await target.call('POST', 'tokens', { description: 'limited', ...settings })
  if (status !== 201) throw new Error(text)
  made.push(body.id)
  const headers = { 'X-StorageApi-Token': body.token }
  const call = (method: string, path: string, sent?: object) => target.call(method, path, sent, headers)
  return { id: body.id as string, resource: body, call }
}

describe('a token that manages no tokens', () => {
  it('sees itself and no other', async () => {
    const [token, other] = [await newToken(), await newToken()]
    const { body: listed } = await token.call('GET', 'tokens')
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([token.id])
    expect((await token.call('GET', `tokens/${token.id}`)).body.id).toBe(token.id)
    for (const [method, path] of [
      ['GET', `tokens/${other.id}`],
      ['DELETE', `tokens/${other.id}`],
      ['POST', `tokens/${other.id}/refresh`],
      ['POST', 'tokens'],
    ] as const)
      expect(await token.call(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
        status: 403,
        body: denied,
      })
  })

  it('deletes itself, and its value is refused from then on', async () => {
    const token = await newToken()
    expect((await token.call('DELETE', `tokens/${token.id}`)).status).toBe(204)
    expect((await token.call('GET', 'tokens/verify')).status).toBe(401)
  })
})

describe('the detail of a token', () => {
  it('is what verify shows, and whose it is', async () => {
    const token = await newToken()
    const { body: verified } = await token.call('GET', 'tokens/verify')
    const { body: detail } = await target.call('GET', `tokens/${token.id}`)
    expect(detail).toEqual(verified)
    expect(detail.adminOwner).toEqual({
      id: expect.any(Number),
      name: expect.any(String),
      email: expect.any(String),
    })
    expect(detail.owner).toMatchObject({ dataSizeBytes: expect.any(Number) })
    expect(detail.owner).not.toHaveProperty('payAsYouGo')
    const { body: master } = await target.call('GET', 'tokens/verify')
    expect((await target.call('GET', `tokens/${master.id}`)).body.adminOwner.email).toBe(master.description)
  })

  it('is not found by what is no id', async () => {
    const { status, body } = await target.call('GET', 'tokens/foo')
    expect([status, body.error]).toEqual([404, expect.stringContaining('resource not found')])
  })
})

describe('the settings of a token', () => {
  it('grant read and write, never manage', async () => {
    const refused = { bucketPermissions: { [bucketId]: 'manage' } }
    const token = await newToken({ bucketPermissions: { [bucketId]: 'write' } })
    for (const reply of [
      await target.call('POST', 'tokens', refused),
      await target.call('PUT', `tokens/${token.id}`, refused),
    ])
      expect([reply.status, reply.body.code]).toEqual([400, 'storage.tokens.invalidPermissions'])
  })

  it('let canManageBuckets overrule permissions, once and for all', async () => {
    const bucketPermissions = { 'in.c-there-is-none': 'read' }
    const token = await newToken({ canManageBuckets: true, bucketPermissions })
    expect(token.resource.bucketPermissions[bucketId]).toBe('manage')
    const { status, body } = await target.call('PUT', `tokens/${token.id}`, { bucketPermissions })
    expect([status, body.bucketPermissions[bucketId]]).toEqual([200, 'manage'])
    const switched = await target.call('PUT', `tokens/${token.id}`, { canManageBuckets: false })
    expect([switched.status, switched.body.code]).toEqual([400, 'storage.tokens.validation'])
  })

  it('have an expiry of a second at least', async () => {
    const { status, body } = await target.call('POST', 'tokens', { expiresIn: 0 })
    const message = 'Minimal expiration must be greater or equal to 1 second(s)'
    expect([status, body.error]).toEqual([400, message])
  })
})

describe('branches', () => {
  it('are made and deleted with the master token only, and read by all', async () => {
    const token = await newToken({ canManageBuckets: true })
    expect(await token.call('POST', 'dev-branches', { name: 'mine' })).toMatchObject({
      status: 403,
      body: denied,
    })
    const { results: branch } = await target.job('POST', 'dev-branches', { name: `rights-${Date.now()}` })
    expect((await token.call('DELETE', `dev-branches/${branch.id}`)).status).toBe(403)
    expect((await token.call('GET', `dev-branches/${branch.id}`)).status).toBe(200)
    await target.job('DELETE', `dev-branches/${branch.id}`)
  })

  it('have a default one that keeps its name', async () => {
    const { body: all } = await target.call('GET', 'dev-branches')
    const main = all.find(({ isDefault }: { isDefault: boolean }) => isDefault)
    const renamed = await target.call('PUT', `dev-branches/${main.id}`, { name: 'Other' })
    expect([renamed.status, renamed.body.error]).toEqual([400, 'You can not update default branch name.'])
    const empty = await target.call('PUT', `dev-branches/${main.id}`, { name: '', description: 'All' })
    expect([empty.status, empty.body.name, empty.body.description]).toEqual([200, main.name, 'All'])
    const deleted = await target.call('DELETE', `dev-branches/${main.id}`)
    expect([deleted.status, deleted.body.error]).toEqual([400, 'Cannot delete Main branch'])
    const missing = await target.call('GET', 'dev-branches/9')
    expect([missing.status, missing.body.error]).toEqual([404, 'Branch id:"9" was not found.'])
  })
})

describe('components', () => {
  it('are listed for a token that may use one', async () => {
    const [none, one] = [await newToken(), await newToken({ componentAccess: [component] })]
    expect(await none.call('GET', 'components')).toMatchObject({ status: 403, body: denied })
    expect((await one.call('GET', 'components')).status).toBe(200)
  })
})

describe('triggers', () => {
  const settings = (runWithTokenId: string, change: object = {}) => ({
    runWithTokenId,
    component,
    configurationId: '123',
    coolDownPeriodMinutes: 1,
    tableIds: [tableId],
    ...change,
  })
  const reader = () => newToken({ componentAccess: [component], bucketPermissions: { [bucketId]: 'read' } })
  const insufficient = (missing: string) =>
    'Your token does not have sufficient privilege. Token is neither admin token nor does it have ' +
    `canManageBucket permission nor does it have access to component(s) "${missing}".`

  it('are made, read, changed and deleted by a token that may use the component', async () => {
    const [token, outsider] = [await reader(), await newToken({ componentAccess: ['ex-other'] })]
    const { status, body: trigger } = await token.call('POST', 'triggers', settings(token.id))
    expect([status, trigger.lastRun]).toEqual([201, expect.any(String)])
    const path = `triggers/${trigger.id}`
    expect((await token.call('GET', 'triggers')).body).toEqual([trigger])
    expect((await outsider.call('GET', 'triggers')).body).toEqual([])
    expect((await outsider.call('GET', path)).status).toBe(403)
    const moved = await token.call('PUT', path, { component: 'ex-other' })
    expect([moved.status, moved.body.error]).toEqual([403, insufficient('ex-other')])
    const taken = await outsider.call('PUT', path, { component: 'ex-third' })
    expect([taken.status, taken.body.error]).toEqual([403, insufficient(`ex-third, ${component}`)])
    const removed = await outsider.call('DELETE', path)
    expect([removed.status, removed.body.error]).toEqual([403, insufficient(component)])
    expect((await token.call('PUT', path, { coolDownPeriodMinutes: 2 })).status).toBe(200)

    const kept = await target.call('DELETE', `tokens/${token.id}`)
    expect([kept.status, kept.body.code, kept.body.error]).toEqual([
      400,
      'storage.tokens.cannotDeleteDueToOrchestration',
      `Cannot delete token, because it's used for event trigger inside component "${component}" with configuration id "123"`,
    ])
    expect((await token.call('DELETE', path)).status).toBe(204)
    expect((await target.call('DELETE', `tokens/${token.id}`)).status).toBe(204)
  })

  it('need a table that the token may read, and a token that neither expires nor may do more', async () => {
    const token = await reader()
    const blind = await newToken({ componentAccess: [component] })
    expect(await blind.call('POST', 'triggers', settings(blind.id))).toMatchObject({
      status: 403,
      body: denied,
    })
    const strong = await newToken({ canManageBuckets: true })
    const gained = await token.call('POST', 'triggers', settings(strong.id))
    expect([gained.status, gained.body.code]).toEqual([403, 'accessDenied'])
    const passing = await newToken({ expiresIn: 3600 })
    // A token that does not last is said before a table that is not there.
    const noTable = { tableIds: ['in.c-none.t'] }
    const expiring = await target.call('POST', 'triggers', settings(passing.id, noTable))
    expect([expiring.status, expiring.body.error]).toEqual([
      400,
      "The 'runByToken' has expiration set. Use token without expiration.",
    ])
    const unknown = await target.call('POST', 'triggers', settings('5', noTable))
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Token with id "5" was not found.'])
  })
})
