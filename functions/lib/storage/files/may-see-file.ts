import type { Rights } from '../tokens/rights.ts'
import type { FileRecord } from './file-store.ts'

/**
 * A token sees the files that it made, and exports that answered its own request too. The master token, and tokens with that right, see all
 * (docs/reference/storage-api.md#file-resource).
 */
export const maySeeFile = (
  { canReadAllFileUploads, tokenId }: Pick<Rights, 'canReadAllFileUploads'> & { tokenId: string },
  { creatorToken, readers = [] }: Pick<FileRecord, 'creatorToken' | 'readers'>,
): boolean => canReadAllFileUploads || creatorToken.id === tokenId || readers.includes(tokenId)
