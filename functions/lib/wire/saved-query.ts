import { UserError } from '../errors/errors.ts'
import { isTableIdForLoad, parseTableId } from './storage-ids.ts'

interface Request {
  path: string
  body: Record<string, unknown>
}

/** The bucket and the name of the table that a query is saved as. Error: `storage.query.invalid`. */
const placeOf = (tableId: string): { bucketId: string; name: string } => {
  const given = tableId.trim()
  const place = isTableIdForLoad(given) ? parseTableId(given) : undefined
  if (place) return place
  throw new UserError('storage.query.invalid', 'Name the table like out.c-main.by-city.')
}

/** What loads the file of a whole result into a new table, or in place of the rows of one. */
export const savesAsTable = (tableId: string, fileId: number, known: readonly string[]): Request => {
  const { bucketId, name } = placeOf(tableId)
  const body = { dataFileId: fileId }
  return known.includes(`${bucketId}.${name}`)
    ? { path: `tables/${bucketId}.${name}/import-async`, body }
    : { path: `buckets/${bucketId}/tables-async`, body: { ...body, name } }
}

/** What makes the bucket that a query is saved in, when it is not among the known ones. */
export const bucketToMake = (id: string, known: readonly string[]): Request | undefined => {
  const [, stage = '', name] = /^(in|out)\.c-(.+)$/.exec(placeOf(id).bucketId) ?? []
  return name === undefined || known.includes(`${stage}.c-${name}`)
    ? undefined
    : { path: 'buckets', body: { stage, name } }
}
