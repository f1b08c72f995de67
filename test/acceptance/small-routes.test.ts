import { expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('small')

it('a bucket has the owner that was set, who is an admin of the project', async () => {
  const { body: token } = await target.call('GET', 'tokens/verify')
  const { adminOwner: owner } = (await target.call('GET', `tokens/${token.id}`)).body
  const path = `buckets/${bucketId}/owner`
  const projectId = token.owner.id
  const notFound = (who: string) => ({
    status: 404,
    body: {
      code: 'storage.bucket.ownerNotFound',
      error: `${who} for bucket ${bucketId} in project ${projectId} not found.`,
    },
  })
  expect(await target.call('GET', path)).toMatchObject(notFound('Owner'))
  expect((await target.call('GET', `buckets/${bucketId}`)).body).toMatchObject({ owner: null, updated: null })
  expect(await target.call('POST', path, { id: 99999999 })).toMatchObject(notFound('Owner 99999999'))
  expect(await target.call('POST', path, { email: 'me@example.com' })).toMatchObject(
    notFound('Owner me@example.com'),
  )
  expect((await target.call('POST', path, {})).status).toBe(400)
  expect(await target.call('POST', path, { id: owner.id })).toMatchObject({ status: 200, body: owner })
  expect((await target.call('GET', path)).body).toEqual(owner)
  const { body: bucket } = await target.call('GET', `buckets/${bucketId}`)
  expect(bucket).toMatchObject({ owner, updated: expect.any(String) })
  const { body: events } = await target.call('GET', `buckets/${bucketId}/events?limit=1`)
  expect(events).toMatchObject([{ event: 'storage.bucketUpdated', params: { owner } }])
})

it('the credentials of a file are renewed', async () => {
  const id = await target.upload('a\n')
  const { status, body } = await target.call('PUT', `files/${id}/refresh`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ id, s3Path: { key: expect.any(String) }, credentials: expect.any(Object) })
})

it('the master token is never shared, and no other is sent by mail', async () => {
  const { body: master } = await target.call('GET', 'tokens/verify')
  const { body: token } = await target.call('POST', 'tokens', { description: 'shared' })
  const share = (id: string) =>
    target.call('POST', `tokens/${id}/share`, { recipientEmail: 'me@example.com', message: 'yours' })
  expect(await share(master.id)).toMatchObject({
    status: 400,
    body: { code: 'storage.token.cannotShareMasterToken' },
  })
  expect(await share(token.id)).toMatchObject({ status: 501, body: { code: 'notImplemented' } })
  await target.call('DELETE', `tokens/${token.id}`)
})

it('what is there is also known by a request for its head', async () => {
  expect(await target.call('HEAD', `buckets/${bucketId}`)).toMatchObject({ status: 200, text: '' })
  expect(await target.call('HEAD', `tables/${bucketId}.none`)).toMatchObject({ status: 404, text: '' })
})
