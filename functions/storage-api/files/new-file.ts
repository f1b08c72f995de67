import { uploadPrefix } from '../../lib/storage/files/file-prefixes.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { fileKey } from './file-key.ts'

interface NewFile {
  name: string
  sizeBytes: number
  contentType: string
  isPublic: boolean
  isPermanent: boolean
  isEncrypted: boolean
  isSliced: boolean
  tags: string[]
  runId: string | null
  creatorToken: { id: string; description: string }
}

/** The record of a file that will be uploaded. */
export const newFileRecord = (
  id: number,
  { isPermanent, tags, runId, ...file }: NewFile,
  { projectId, now }: { projectId: number; now: Date },
): FileRecord => ({
  ...file,
  id,
  key: fileKey(projectId, id, { name: file.name, created: now, isPermanent }),
  created: now.toISOString(),
  maxAgeDays: isPermanent ? null : uploadPrefix.days,
  tags: [...new Set(tags)],
  runId,
  runIds: runId === null ? [] : [runId],
  requestKey: null,
  revision: 1,
})
