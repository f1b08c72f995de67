/** Names of buckets and tables, and ids made of them: `in.c-main` and `in.c-main.orders`. */
const CHARACTERS = '[A-Za-z0-9_-]'
/** What fits a sort key. The service's own limits are lower. */
const NAME = `${CHARACTERS}{1,200}`

const nameCharacters = new RegExp(`^${CHARACTERS}+$`)
const bucketIdPattern = new RegExp(`^(in|out)\\.${NAME}$`)
const tableNamePattern = new RegExp(`^${NAME}$`)
const newTableIdPattern = new RegExp(`^(in|out)\\.c-${NAME}\\.${NAME}$`)

export const hasNameCharacters = (text: string): boolean => nameCharacters.test(text)

export const isBucketId = (text: string): boolean => bucketIdPattern.test(text)

/** `in.c-main.orders` in its two parts, or `undefined` when it cannot be a table id. */
export const parseTableId = (tableId: string): { bucketId: string; name: string } | undefined => {
  const dot = tableId.lastIndexOf('.')
  const bucketId = tableId.slice(0, Math.max(dot, 0))
  const name = tableId.slice(dot + 1)
  return isBucketId(bucketId) && tableNamePattern.test(name) ? { bucketId, name } : undefined
}

/** Whether a load can create this table: buckets that the API creates begin with `c-`. */
export const isTableIdForLoad = (text: string): boolean => newTableIdPattern.test(text)
