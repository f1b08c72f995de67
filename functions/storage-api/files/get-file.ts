import { z } from '@hono/zod-openapi'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { fileBody } from '../../lib/wire/file-body.ts'
import type { Caller } from '../http/authenticate.ts'
import { flag } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { FileAccess } from './file-access.ts'
import { federatedFileResource, fileResource } from './file-resource.ts'
import { findFile, mayChangeFile } from './find-file.ts'

/**
 * One file. With `federationToken` its place in the object store and temporary credentials. For the token that made the
 * file they also allow writing, so that a long upload can renew its credentials here. For others they are read-only.
 */
export const getFile = defineRoute({
  method: 'get',
  path: '/v2/storage/files/{fileId}',
  summary: 'File detail',
  tag: 'files',
  query: z.object({ federationToken: flag().default(false) }),
  replies: { 200: 'The file', 404: 'There is no such file' },
  reply: fileBody,
  handle: async ({ params, query, caller }, { files, fileAccess }) => {
    const file = await findFile(files, params.fileId, caller)
    return ok(
      query.federationToken
        ? await withCredentials(file, caller, fileAccess)
        : await fileResource(file, fileAccess),
    )
  },
})

/** The detail with new credentials, at the address that clients of another cloud know. */
export const refreshFile = defineRoute({
  method: 'put',
  path: '/v2/storage/files/{fileId}/refresh',
  summary: 'Renew the credentials of a file',
  tag: 'files',
  replies: { 200: 'The file', 404: 'There is no such file' },
  reply: fileBody,
  handle: async ({ params, caller }, { files, fileAccess }) =>
    ok(await withCredentials(await findFile(files, params.fileId, caller), caller, fileAccess)),
})

const withCredentials = (file: FileRecord, caller: Caller, fileAccess: FileAccess) =>
  federatedFileResource(file, fileAccess, mayChangeFile(caller, file) ? 'write' : 'read')
