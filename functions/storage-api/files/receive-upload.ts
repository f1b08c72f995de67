import { Readable } from 'node:stream'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { parseFields } from '../http/parse-fields.ts'
import { readBody } from '../http/read-body.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import { countFile } from '../quotas/refuse-over-quota.ts'
import type { Services } from '../services.ts'
import { fileKey, newFileRecord } from './new-file.ts'
import { recordUpload } from './record-upload.ts'

interface Upload {
  /** The other fields of the form. */
  fields: Record<string, unknown>
  /** `undefined`: the request has no data. */
  file: FileRecord | undefined
}

interface Stored {
  id: number
  key: string
  filename: string
  sizeBytes: number
}

type Receiver = Pick<RouteRequest<unknown, unknown, unknown>, 'raw' | 'runId' | 'caller' | 'branchId'>

const CONTENT_TYPE = 'application/octet-stream'
const MAX_NAME_LENGTH = 500

/**
 * Stores the data of a request, from the file `data` of a multipart form or from the field `dataString`, as a file
 * resource. It is streamed, so its size does not matter here. (Behind API Gateway it does, and the handler reports
 * that.)
 *
 * The record is created after the bytes are stored: a listed file is complete.
 */
export const receiveUpload = async (request: Receiver, services: Services): Promise<Upload> => {
  const createdAt = services.now()
  const store = async (stream: Readable, filename: string): Promise<Stored> => {
    const id = services.nextId()
    const key = fileKey(services.projectId, id, { name: filename, created: createdAt })
    let sizeBytes = 0
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      // Both are streams of bytes: of a form, or made of one buffer.
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        sizeBytes += chunk.length
        yield chunk
      }
    }
    await services.fileAccess.upload(key, Readable.from(counted(), { objectMode: false }), CONTENT_TYPE)
    return { id, key, filename, sizeBytes }
  }
  const { fields, stored } = await readParts(request.raw, store)
  if (!stored) return { fields, file: undefined }
  await countFile(stored.sizeBytes, services)
  const file = await makeRecord(request, services, { fields, stored, createdAt })
  await recordUpload(request, services, file)
  return { fields, file }
}

const readParts = async (
  raw: Request,
  store: (stream: Readable, filename: string) => Promise<Stored>,
): Promise<{ fields: Record<string, unknown>; stored: Stored | undefined }> => {
  const type = raw.headers.get('content-type')?.trim().toLowerCase() ?? ''
  const entries: [string, string][] = []
  let stored: Stored | undefined
  let hasFile = false
  if (type.startsWith('multipart/form-data')) {
    const { forEachPart } = await import('../http/multipart-parts.ts')
    await forEachPart(raw, {
      fileField: 'data',
      onField: (name, value) => {
        entries.push([name, value])
      },
      onFile: async (name, stream, { filename }) => {
        if (name !== 'data' || hasFile) {
          stream.resume()
          return
        }
        hasFile = true
        stored = await store(stream, filename || 'data')
      },
    })
  }
  const fields = type.startsWith('multipart/form-data') ? parseFields(entries) : await readBody(raw)
  const { dataString, ...others } = fields
  if (stored === undefined && typeof dataString === 'string')
    stored = await store(Readable.from([Buffer.from(dataString)]), 'data.csv')
  return { fields: others, stored }
}

const makeRecord = async (
  { caller, runId }: Receiver,
  { files, nextId, projectId }: Services,
  { fields, stored, createdAt }: { fields: Record<string, unknown>; stored: Stored; createdAt: Date },
): Promise<FileRecord> => {
  const { id: firstId, key, filename, sizeBytes } = stored
  const given = typeof fields['name'] === 'string' ? fields['name'].trim() : ''
  const settings = {
    name: (given || filename).toWellFormed().slice(0, MAX_NAME_LENGTH),
    sizeBytes,
    contentType: CONTENT_TYPE,
    isPublic: false,
    isPermanent: false,
    isEncrypted: true,
    isSliced: false,
    tags: [],
    runId,
    creatorToken: { id: caller.tokenId, description: 'file upload' },
  }
  // The key does not change, even if another process has taken its id in the meantime.
  const ids = [firstId]
  return files.create(
    () => ids.pop() ?? nextId(),
    id => ({ ...newFileRecord(id, settings, { projectId, now: createdAt }), key }),
  )
}
