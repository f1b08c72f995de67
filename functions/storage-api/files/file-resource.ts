import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import type { FileAccess, FileRight } from '../services/file-access.ts'

/**
 * The file on the wire (docs/reference/storage-api.md#file-resource). Clients choose how to transfer by `provider`.
 */
export const fileResource = async (file: FileRecord, fileAccess: FileAccess) => ({
  id: file.id,
  created: wireDate(file.created),
  isPublic: file.isPublic,
  isSliced: file.isSliced,
  isEncrypted: file.isEncrypted,
  name: file.name,
  url: await fileAccess.downloadUrl(file),
  provider: 'aws',
  fileType: fileType(file.name),
  region: fileAccess.region,
  sizeBytes: file.sizeBytes,
  tags: file.tags,
  maxAgeDays: file.maxAgeDays,
  runId: file.runId,
  runIds: file.runIds,
  creatorToken: { id: Number(file.creatorToken.id), description: file.creatorToken.description },
})

const fileType = (name: string): 'csv' | 'parquet' | null => {
  if (/\.csv(\.gz)?$/i.test(name)) return 'csv'
  return /\.parquet$/i.test(name) ? 'parquet' : null
}

/** The file with what a client needs to access its objects (`federationToken=1`). */
export const federatedFileResource = async (file: FileRecord, fileAccess: FileAccess, access: FileRight) => {
  const [resource, credentials] = await Promise.all([
    fileResource(file, fileAccess),
    fileAccess.credentials(file, access),
  ])
  return { ...resource, s3Path: { bucket: fileAccess.bucket, key: file.key }, credentials }
}
