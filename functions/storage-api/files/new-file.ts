import type { FileRecord } from '../../lib/storage-store/file-store.ts'
import { fileKey } from './file-key.ts'

/** Uploads are kept for fifteen days, like the hosted service keeps them. */
const MAX_AGE_DAYS = 15

export interface NewFile {
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

/** The record of a file that is about to be uploaded. */
export const newFileRecord = (
  id: number,
  { isPermanent, tags, runId, ...file }: NewFile,
  { projectId, now }: { projectId: number; now: Date },
): FileRecord => ({
  ...file,
  id,
  key: fileKey(projectId, id, file.name, now),
  created: now.toISOString(),
  maxAgeDays: isPermanent ? null : MAX_AGE_DAYS,
  tags: [...new Set(tags)],
  runId,
  runIds: runId === null ? [] : [runId],
  requestKey: null,
  revision: 1,
})
