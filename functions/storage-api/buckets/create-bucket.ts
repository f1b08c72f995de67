import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { backendName } from '../../lib/storage/project/backend-name.ts'
import { noTotals } from '../../lib/storage/totals/totals.ts'
import { refuseTaken } from '../../lib/storage/update-bucket.ts'
import { bucketBody } from '../../lib/wire/table-body.ts'
import { onlyText, text } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { bucketName, checkDisplayName } from './bucket-settings.ts'

export const routes = routesOf('buckets')

const body = z.object({
  name: text({ min: 1, max: 300 }),
  stage: z.enum(['in', 'out'], { error: 'This value should be "in" or "out".' }).default('in'),
  description: text({ max: 65_000 }).default(''),
  displayName: text({ max: 300 }).optional(),
  color: text({ max: 50 }).optional(),
  backend: onlyText([backendName], `This value should be "${backendName}": there is no other backend here.`),
})

/** Creates a bucket; its id is `<stage>.c-<name>`. */
routes.post('/v2/storage/buckets', {
  summary: 'Create a bucket',
  access: 'project',
  body,
  validationCode: 'storage.buckets.validation',
  replies: { 201: 'The bucket', 400: '`storage.buckets.alreadyExists`, `storage.buckets.validation`' },
  reply: bucketBody,
  handle: async (request, services) => {
    const { body, baseUrl } = request
    const { buckets, now } = services
    const name = bucketName(body.name)
    const displayName = body.displayName ? checkDisplayName(body.displayName) : name.slice('c-'.length)
    const at = now().toISOString()
    const bucket: BucketRecord = {
      id: `${body.stage}.${name}`,
      stage: body.stage,
      name,
      displayName,
      description: body.description,
      color: body.color ?? null,
      created: at,
      updated: at,
      deletingUntil: null,
      ...ofBranch(request.branchId),
      revision: 1,
    }
    // Neither its display name nor its name may be the display name of another one.
    for (const taken of [displayName, name.slice('c-'.length)])
      await refuseTaken({ ...bucket, displayName: taken }, services)
    if (!(await buckets.insert(bucket)))
      throw new UserError(
        'storage.buckets.alreadyExists',
        `The display name "${displayName}" already exists in project.`,
      )
    const { id, stage, description, color } = bucket
    const params = { stage, name, displayName, description, color }
    await recordAudit(request, services, 'bucketCreated', { id, name, params })
    return { ...bucketResource(bucket, noTotals, { ...services, baseUrl }), metadata: [] }
  },
})
