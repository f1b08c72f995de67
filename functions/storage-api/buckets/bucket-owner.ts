import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { updateBucket } from '../../lib/storage/update-bucket.ts'
import { ownerBody } from '../../lib/wire/table-body.ts'
import { findBucket } from '../find/find-bucket.ts'
import { integer, text } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { projectOwner } from '../tokens/token-resource.ts'

export const routes = routesOf('buckets')

const path = '/v2/storage/buckets/{bucketId}/owner'

routes.get(path, {
  summary: 'Owner of a bucket',
  replies: { 200: 'The owner', 404: 'There is no such bucket, or it has no owner' },
  reply: ownerBody,
  handle: async ({ params }, services) => {
    const { id, owner } = await findBucket(services, params.bucketId)
    if (!owner) throw ownerNotFound('Owner', id, services)
    return owner
  },
})

/** Names an admin of the project as the owner. The project has one admin: whoever deployed it. */
routes.post(path, {
  summary: 'Set the owner of a bucket',
  access: 'manage',
  body: z.object({ id: integer().optional(), email: text({ max: 320 }).optional() }),
  validationCode: 'storage.buckets.validation',
  replies: { 200: 'The owner', 404: 'There is no such bucket, or no such admin of the project' },
  reply: ownerBody,
  handle: async (request, services) => {
    const { id, email } = request.body
    const bucket = await findBucket(services, request.params.bucketId)
    if (id === undefined && email === undefined)
      throw new UserError('storage.buckets.validation', 'Invalid data - id: This field is missing.')
    const asked = { ...projectOwner, ...(id !== undefined && { id }), ...(email !== undefined && { email }) }
    if (asked.id !== projectOwner.id || asked.email !== projectOwner.email)
      throw ownerNotFound(`Owner ${id ?? email}`, bucket.id, services)
    await updateBucket(bucket.id, { owner: projectOwner }, services)
    const params = { owner: projectOwner }
    await recordAudit(request, services, 'bucketUpdated', { id: bucket.id, name: bucket.name, params })
    return projectOwner
  },
})

const ownerNotFound = (
  who: string,
  bucketId: BucketRecord['id'],
  { projectId }: { projectId: number },
): UserError =>
  new UserError(
    'storage.bucket.ownerNotFound',
    `${who} for bucket ${bucketId} in project ${projectId} not found.`,
  )
