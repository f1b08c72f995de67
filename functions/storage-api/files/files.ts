import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { inBranch } from '../../lib/storage/db/branch-id.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { expiryOf, type FileRecord, maySeeFile } from '../../lib/storage/files/file-store.ts'
import { fileBody, preparedFileBody } from '../../lib/wire/file-body.ts'
import { fileNotFound, findFile, findFileToChange, mayChangeFile } from '../find/find-file.ts'
import { flag, integer, onlyFlag, text, textList } from '../http/fields.ts'
import { searchedPage } from '../http/page.ts'
import { matchesPattern, parseQuery, type QueryTerm } from '../http/query-language.ts'
import { telling, tellingAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { type FileAccess, newFileRecord } from '../services/file-access.ts'
import type { Caller } from '../services/services.ts'
import { federatedFileResource, fileResource } from './file-resource.ts'
import { tellingUpload } from './store-upload.ts'

export const routes = routesOf('files')

type FileFilter = (file: FileRecord) => boolean

/** Searchable fields, each with the values to compare. */
const fields: Record<string, (file: FileRecord) => string[]> = {
  id: file => [String(file.id)],
  name: file => [file.name],
  tags: file => file.tags,
  runid: file => (file.runId === null ? file.runIds : [file.runId, ...file.runIds]),
  issliced: file => [String(file.isSliced)],
  isencrypted: file => [String(file.isEncrypted)],
  ispublic: file => [String(file.isPublic)],
  sizebytes: file => [String(file.sizeBytes)],
}

/**
 * Makes the filter of a search for files: `tags:"a" AND tags:"b"`, `id:1`, `name:x*`, words in the name. Error: 400
 * `query.syntax`.
 */
export const parseFileQuery = (query: string): FileFilter =>
  parseQuery(query, { termFilter, refuse: syntaxError })

const termFilter = ({ field, value, isQuoted }: QueryTerm): FileFilter => {
  if (field === undefined)
    return file => file.name.toLowerCase().includes(value.replaceAll(/[*?]/g, '').toLowerCase())
  const valuesOf = Object.hasOwn(fields, field.toLowerCase()) ? fields[field.toLowerCase()] : undefined
  if (!valuesOf)
    throw syntaxError(
      `there is no field "${field}"; there are id, name, tags, runId, isSliced, isEncrypted, isPublic and sizeBytes`,
    )
  const isMatch = isQuoted
    ? (found: string) => found === value
    : (found: string) => matchesPattern(value, found)
  return file => valuesOf(file).some(isMatch)
}

const syntaxError = (reason: string) =>
  new UserError('query.syntax', `The query cannot be understood: ${reason}.`)

const query = z.object({
  limit: integer({ min: 1, max: 10_000 }).default(100),
  offset: integer().default(0),
  tags: textList().default([]),
  sinceId: integer().optional(),
  maxId: integer({ min: 1 }).optional(),
  runId: text().optional(),
  q: text().optional(),
  showExpired: flag().default(false),
  isPublic: z.unknown().optional().meta({ type: 'boolean' }),
})

/** Files, newest first. With several `tags[]`, those that have at least one of them. */
routes.get('/v2/storage/files', {
  summary: 'List files',
  query,
  replies: { 200: 'The files', 400: '`query.syntax`: the search cannot be understood' },
  reply: z.array(fileBody),
  handle: async ({ query, caller, raw }, { files, fileAccess, now }) => {
    const { limit, offset, tags, sinceId, maxId, runId, q, showExpired } = query
    refuseIsPublic(query.isPublic)
    const isFound = parseFileQuery(q ?? '')
    const today = now()
    const isListed = (file: FileRecord): boolean => {
      const isOfRun = runId === undefined || file.runId === runId || file.runIds.includes(runId)
      const isShown = maySeeFile(caller, file) && (showExpired || !isExpired(file, today))
      return isOfRun && isShown && isFound(file)
    }
    const show = (file: FileRecord) => fileResource(file, fileAccess)
    const range = { sinceId, maxId }
    const found = tags.length > 0 ? files.listTagged(tags, range) : files.list(range)
    return searchedPage(found, { limit, offset, isListed, show, address: raw.url })
  },
})

/** The documented API has this parameter, and refuses every value of it in these words. */
const refuseIsPublic = (value: unknown): void => {
  if (value === undefined) return
  if (!flag().safeParse(value).success)
    throw new UserError(
      'storage.validation',
      `Invalid request:\n - isPublic: "${String(value).slice(0, 100)}" is not boolean. Possible values are true, false, 1, 0.`,
    )
  throw new UserError('notImplemented', 'FileListFilter is not yet implemented')
}

const isExpired = (file: FileRecord, today: Date): boolean => (expiryOf(file) ?? today) < today

/**
 * One file. With `federationToken` its place in the object store and temporary credentials. For the token that made the
 * file they also allow writing, so that a long upload can renew its credentials here. For others they are read-only.
 */
routes.get('/v2/storage/files/{fileId}', {
  summary: 'File detail',
  query: z.object({ federationToken: flag().default(false) }),
  replies: { 200: 'The file', 404: 'There is no such file' },
  reply: fileBody,
  handle: async ({ params, query, caller }, { files, fileAccess }) => {
    const file = await findFile(files, params.fileId, caller)
    return query.federationToken
      ? await withCredentials(file, caller, fileAccess)
      : await fileResource(file, fileAccess)
  },
})

/** The detail with new credentials, at the address that clients of another cloud know. */
routes.put('/v2/storage/files/{fileId}/refresh', {
  summary: 'Renew the credentials of a file',
  replies: { 200: 'The file', 404: 'There is no such file' },
  reply: fileBody,
  handle: async ({ params, caller }, { files, fileAccess }) =>
    withCredentials(await findFile(files, params.fileId, caller), caller, fileAccess),
})

const withCredentials = (file: FileRecord, caller: Caller, fileAccess: FileAccess) =>
  federatedFileResource(file, fileAccess, mayChangeFile(caller, file) ? 'write' : 'read')

routes.delete('/v2/storage/files/{fileId}', {
  summary: 'Delete a file with its objects',
  query: z.object({ async: flag().default(false) }),
  replies: {
    204: 'Deleted',
    202: 'A job `fileDelete`, with `async=1`',
    403: 'Another token made the file',
    404: 'There is no such file',
  },
  handle: async (request, services) => {
    const { fileId } = request.params
    if (request.query.async)
      return submitJob(request, services, {
        input: { operationName: 'fileDelete', fileId: parseId(fileId) ?? 0 },
        admit: async () => ({ fileId: (await findFileToChange(services.files, fileId, request.caller)).id }),
      })
    const file = await findFileToChange(services.files, fileId, request.caller)
    // The record is deleted last: while it exists, an interrupted delete can be repeated.
    await services.fileAccess.deleteObjects(file)
    const facts = { id: String(file.id), name: file.name }
    await services.files.delete(file, tellingAudit(request, services, 'fileDeleted', facts))
    return undefined
  },
})

/** The event of a change of one tag. */
const tagEvent = (
  name: 'fileTagAdded' | 'fileTagDeleted',
  file: Pick<FileRecord, 'id' | 'name'>,
  tag: string,
) => auditEvent(name, { id: String(file.id), name: file.name, words: { tag }, params: { tag } })

const MAX_TAGS = 500

/** Adds a tag. Idempotent. */
routes.post('/v2/storage/files/{fileId}/tags', {
  summary: 'Add a tag to a file',
  body: z.object({ tag: text({ min: 1, max: 200 }) }),
  replies: { 204: 'Added', 403: 'Another token made the file', 404: 'There is no such file' },
  handle: async (request, services) => {
    const { params, body, caller } = request
    const { files } = services
    const { id } = await findFileToChange(files, params.fileId, caller)
    const withTag = (file: FileRecord): FileRecord => {
      const tags = [...new Set([...file.tags, body.tag])]
      if (tags.length > MAX_TAGS)
        throw new UserError('storage.validation', `A file has at most ${MAX_TAGS} tags.`)
      return { ...file, tags }
    }
    const told = (file: FileRecord) => telling(request, services, tagEvent('fileTagAdded', file, body.tag))
    if (!(await files.update(id, withTag, told))) throw fileNotFound()
  },
})

/** Removes a tag. Idempotent. */
routes.delete('/v2/storage/files/{fileId}/tags/{tag}', {
  lastParamTakesSlashes: true,
  summary: 'Remove a tag from a file',
  replies: { 204: 'Removed', 403: 'Another token made the file', 404: 'There is no such file' },
  handle: async (request, services) => {
    const { params, caller } = request
    const { files } = services
    const { id } = await findFileToChange(files, params.fileId, caller)
    const withoutTag = (file: FileRecord): FileRecord => ({
      ...file,
      tags: file.tags.filter(tag => tag !== params.tag),
    })
    const told = (file: FileRecord) =>
      telling(request, services, tagEvent('fileTagDeleted', file, params.tag))
    if (!(await files.update(id, withoutTag, told))) throw fileNotFound()
  },
})

const body = z.object({
  name: text({ min: 1, max: 500 }),
  sizeBytes: integer().default(0),
  contentType: text({ max: 200 }).default('application/octet-stream'),
  isPublic: flag().default(false),
  isPermanent: flag().default(false),
  isEncrypted: flag().default(false),
  isSliced: flag().default(false),
  tags: textList({ max: 500, itemMax: 200 }).default([]),
  federationToken: flag().default(false),
  notify: onlyFlag(false, 'Nobody is notified of uploads here: no mail is sent.'),
})

/**
 * Creates the record of a file and returns where and how to upload it. The client uploads the content.
 *
 * With `federationToken` the client gets temporary credentials for the file's key. Without, it gets an address for one
 * plain PUT, for clients without an S3 library. The slices of a sliced file have no such address: without the token its
 * record is made, and credentials come with the file's detail.
 */
routes.post('/v2/storage/files/prepare', {
  summary: 'Prepare the upload of a file',
  body,
  replies: {
    201: 'The file with `uploadParams`',
    403: 'A tag is one of those that runs give',
  },
  reply: preparedFileBody,
  handle: async (request, services) => {
    const { body, caller, runId, idempotencyKey } = request
    const { federationToken, notify: _, ...settings } = body
    const newFile = {
      ...settings,
      runId,
      creatorToken: { id: caller.tokenId, description: caller.description },
    }
    const make = (id: number) =>
      newFileRecord(id, newFile, { projectId: services.projectId, now: services.now() })
    const { files, fileAccess, nextId, idempotency } = services
    const scope = `${caller.tokenId} files/prepare${inBranch(request.branchId)}`
    const asked = idempotencyKey === undefined ? undefined : { scope, key: idempotencyKey, request: newFile }
    const file = await files.create(nextId, make, {
      told: made => tellingUpload(request, services, made),
      once: asked && { request: asked, idempotency },
    })
    const [resource, uploadParams] = await Promise.all([
      fileResource(file, fileAccess),
      (federationToken || file.isSliced ? federatedUpload : plainUpload)(file, fileAccess),
    ])
    return { ...resource, uploadParams }
  },
})

const target = (file: FileRecord, fileAccess: FileAccess) => ({
  key: file.key,
  bucket: fileAccess.bucket,
  acl: 'private',
  // A client that asked for encryption expects this field to exist.
  ...(file.isEncrypted && { 'x-amz-server-side-encryption': 'AES256' }),
})

const federatedUpload = async (file: FileRecord, fileAccess: FileAccess) => ({
  ...target(file, fileAccess),
  credentials: await fileAccess.credentials(file, 'write'),
})

const plainUpload = async (file: FileRecord, fileAccess: FileAccess) => ({
  ...target(file, fileAccess),
  method: 'PUT',
  url: await fileAccess.uploadUrl(file),
})
