import { z } from '@hono/zod-openapi'
import { inBranch } from '../../lib/storage/db/branch-id.ts'
import { createOnce } from '../../lib/storage/db/create-once.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { preparedFileBody } from '../../lib/wire/file-body.ts'
import { flag, integer, onlyFlag, text, textList } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import type { FileAccess } from '../services/file-access.ts'
import { newFileRecord } from '../services/new-file.ts'
import { fileResource } from './file-resource.ts'
import { recordUpload } from './store-upload.ts'

export const routes = routesOf('files')

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
    const file =
      idempotencyKey === undefined
        ? await services.files.create(services.nextId, make)
        : await createOnce(
            {
              scope: `${caller.tokenId} files/prepare${inBranch(request.branchId)}`,
              key: idempotencyKey,
              request: newFile,
            },
            { ...services, records: services.files, make },
          )

    await recordUpload(request, services, file)
    const { fileAccess } = services
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
