import { permanentPrefix, uploadPrefix } from '../../lib/storage/files/file-prefixes.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'

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
  revision: 1,
})

/**
 * The object key of a new file: `exp-15/<project>/files/2026/07/16/<id>.<name>`, or below `permanent/` when it is kept
 * until it is deleted. For a sliced file it is the prefix of the slices and of the manifest.
 */
export const fileKey = (
  projectId: number,
  id: number,
  { name, created, isPermanent = false }: { name: string; created: Date; isPermanent?: boolean },
): string =>
  `${isPermanent ? permanentPrefix : uploadPrefix.prefix}${projectId}/files/${created.toISOString().slice(0, 10).replaceAll('-', '/')}/${id}.${webalize(name)}`

const MAX_LENGTH = 120

/** A name in letters, digits, dots, dashes and underscores. Drops accents. Shortens at the start. */
export const webalize = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replaceAll(/^[._]+|_+$/g, '')
    .slice(-MAX_LENGTH) || 'file'
