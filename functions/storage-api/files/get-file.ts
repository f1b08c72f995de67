import { z } from '@hono/zod-openapi'
import { flag } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { fileBody } from './file-body.ts'
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
    if (!query.federationToken) return ok(await fileResource(file, fileAccess))
    const access = mayChangeFile(caller, file) ? 'write' : 'read'
    return ok(await federatedFileResource(file, fileAccess, access))
  },
})
