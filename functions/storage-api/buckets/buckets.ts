import pMap from 'p-map'
import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { together } from '../../lib/items/item-table.ts'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { noTotals } from '../../lib/storage/totals/totals.ts'
import { refuseTaken, updateBucket } from '../../lib/storage/update-bucket.ts'
import { emptyList } from '../../lib/wire/fields.ts'
import { hasNameCharacters } from '../../lib/wire/storage-ids.ts'
import { bucketBody, bucketDetailBody, ownerBody } from '../../lib/wire/table-body.ts'
import { findBucket } from '../find/find-table.ts'
import { checkFields } from '../http/check-fields.ts'
import { flag, includeOf, integer, onlyText, text } from '../http/fields.ts'
import { recordAudit, tellingAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { doJob, type NewJob, submitJob } from '../jobs/submit-job.ts'
import { metadataOf } from '../metadata/metadata-resource.ts'
import { listedTables, tableIncludesOfBucket } from '../tables/read-tables.ts'
import { projectOwner } from '../tokens/token-resource.ts'
import { withdrawPermissions } from '../tokens/withdraw-permissions.ts'

export const routes = routesOf('buckets')

const MAX_NAME_LENGTH = 96

/** `orders` and `c-orders` are both the bucket `c-orders`. Error: 400 `storage.buckets.validation`. */
const bucketName = (name: string): string => {
  const bare = name.startsWith('c-') ? name.slice(2) : name
  refuseBadName('name', bare)
  return `c-${bare}`
}

const checkDisplayName = (displayName: string): string => {
  refuseBadName('displayName', displayName)
  if (displayName.startsWith('_'))
    throw invalid('displayName', `'${displayName}' cannot start with underscore.`)
  return displayName
}

const refuseBadName = (field: string, name: string): void => {
  if (!hasNameCharacters(name))
    throw invalid(
      field,
      `'${name.slice(0, 200)}' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.`,
    )
  if (name.length > MAX_NAME_LENGTH)
    throw invalid(field, `'${name.slice(0, 200)}' is longer than ${MAX_NAME_LENGTH} characters.`)
}

const invalid = (field: string, reason: string) =>
  new UserError('storage.buckets.validation', `Invalid data - ${field}: ${reason}`)

const LISTS_AT_ONCE = 16

routes.get('/v2/storage/buckets', {
  summary: 'List buckets',
  query: z.object({ include: includeOf(['metadata', 'linkedBuckets', 'attributes']) }),
  replies: { 200: 'The buckets, in the order of their ids' },
  reply: z.array(bucketBody),
  handle: async (request, services) => {
    const { query, caller, baseUrl } = request
    const { buckets, totals } = services
    const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const totalsOf = await totals.ofEach()
    const listed = await pMap(
      visible,
      async bucket => ({
        ...bucketResource(bucket, totalsOf.get(bucket.id) ?? noTotals, { ...services, baseUrl }),
        ...(query.include.includes('metadata') && {
          metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
        }),
        ...(query.include.includes('attributes') && { attributes: [] }),
        ...(query.include.includes('linkedBuckets') && { linkedBy: [] }),
      }),
      { concurrency: LISTS_AT_ONCE },
    )
    await recordAudit(request, services, 'bucketsListed')
    return listed
  },
})

/** One bucket with its tables. */
routes.get('/v2/storage/buckets/{bucketId}', {
  summary: 'Bucket detail',
  query: z.object({ include: tableIncludesOfBucket() }),
  replies: { 200: 'The bucket', 404: 'There is no such bucket' },
  reply: bucketDetailBody,
  handle: async ({ params, query, baseUrl, caller }, services) => {
    const bucket = await findBucket(services, params.bucketId)
    return {
      ...bucketResource(bucket, await services.totals.of(bucket.id), { ...services, baseUrl }),
      tables: await listedTables(services, { bucket, include: query.include, baseUrl, caller }),
      metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
      attributes: [],
    }
  },
})

/** Buckets that other projects share with this one: none, because nothing is shared between projects here. */
routes.get('/v2/storage/shared-buckets', {
  summary: 'List buckets of other projects',
  query: z.object({ include: includeOf(['metadata']) }),
  replies: { 200: 'An empty list' },
  reply: emptyList,
  handle: async () => [],
})

const body = z.object({
  name: text({ min: 1, max: 300 }),
  stage: z.enum(['in', 'out'], { error: 'This value should be "in" or "out".' }).default('in'),
  description: text({ max: 65_000 }).default(''),
  displayName: text({ max: 300 }).optional(),
  color: text({ max: 50 }).optional(),
  backend: text({ max: 40 }).optional(),
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
    const { buckets, now, backend } = services
    const reason = `This value should be "${backend}": there is no other backend here.`
    const only = z.object({ backend: onlyText([backend], reason) })
    checkFields(only, { backend: body.backend || undefined }, 'storage.buckets.validation')
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
      incarnation: services.nextId(),
      ...ofBranch(request.branchId),
      revision: 1,
    }
    // Neither its display name nor its name may be the display name of another one.
    for (const taken of [displayName, name.slice('c-'.length)])
      await refuseTaken({ ...bucket, displayName: taken }, buckets)
    await withdrawPermissions(bucket, services)
    const { id, stage, description, color } = bucket
    const params = { stage, name, displayName, description, color }
    const told = tellingAudit(request, services, 'bucketCreated', { id, name, params })
    if (!(await buckets.decide(await together(buckets.inserting(bucket), told))))
      throw new UserError(
        'storage.buckets.alreadyExists',
        `The display name "${displayName}" already exists in project.`,
      )
    return { ...bucketResource(bucket, noTotals, { ...services, baseUrl }), metadata: [] }
  },
})

/** Changes display name and colour, of which `null` is none. The id never changes. */
routes.put('/v2/storage/buckets/{bucketId}', {
  summary: 'Update a bucket',
  access: 'manage',
  query: z.object({ async: flag().default(false) }),
  body: z.object({
    async: flag()
      .nullish()
      .transform(given => given ?? false),
    displayName: text({ max: 300 })
      .nullish()
      .transform(given => given ?? undefined),
    color: text({ max: 50 }).nullish(),
  }),
  keepsNull: true,
  validationCode: 'storage.buckets.validation',
  replies: { 200: 'The bucket', 202: 'A job `bucketUpdate`, with `async=1`', 404: 'There is no such bucket' },
  reply: bucketBody,
  handle: async (request, services) => {
    const { query, body, baseUrl } = request
    const { bucketId } = request.params
    const displayName = body.displayName === undefined ? undefined : checkDisplayName(body.displayName)
    const change = {
      ...(displayName !== undefined && { displayName }),
      ...(body.color !== undefined && { color: body.color }),
    }
    if (query.async || body.async)
      return submitJob(request, services, {
        input: { operationName: 'bucketUpdate', bucketId, ...change },
        admit: async () => ({ bucketId: (await findBucket(services, bucketId)).id, ...change }),
      })
    const { id } = await findBucket(services, bucketId)
    await services.own.bucket(id)
    await updateBucket(id, change, services, ({ name }) =>
      tellingAudit(request, services, 'bucketUpdated', { id, name, params: change }),
    )
    const bucket = await findBucket(services, id)
    return {
      ...bucketResource(bucket, await services.totals.of(id), { ...services, baseUrl }),
      metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
    }
  },
})

routes.delete('/v2/storage/buckets/{bucketId}', {
  summary: 'Delete a bucket',
  access: 'manage',
  query: z.object({ force: flag().default(false), async: flag().default(false) }),
  replies: {
    204: 'Deleted',
    202: 'A job `bucketDelete`, with `async=1`',
    400: '`buckets.deleteNotEmpty`: it has tables, and `force=1` was not given',
    404: 'There is no such bucket',
  },
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { force, async } = request.query
    const newJob: NewJob = {
      input: { operationName: 'bucketDelete', bucketId, force },
      admit: async () => ({ bucketId: (await findBucket(services, bucketId)).id, force }),
    }
    if (async) return submitJob(request, services, newJob)
    const done = await doJob(request, services, newJob)
    return done instanceof Response ? done : undefined
  },
})

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
    const params = { owner: projectOwner }
    await updateBucket(bucket.id, params, services, ({ id, name }) =>
      tellingAudit(request, services, 'bucketUpdated', { id, name, params }),
    )
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
