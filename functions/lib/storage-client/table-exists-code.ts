/**
 * What the storage service calls a table that exists already (docs/reference/storage-api.md#errors). Constants only:
 * infra/ imports this file, because the import machine goes back to its start on it.
 */
export const TABLE_EXISTS_CODE = 'storage.buckets.tableAlreadyExists'
