/**
 * What the storage service calls a table that exists already (facts, section 2). Constants only: infra/ imports this
 * file, because the import machine goes back to its start on it.
 */
export const TABLE_EXISTS_CODE = 'storage.buckets.tableAlreadyExists'
