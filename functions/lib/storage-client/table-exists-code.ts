/**
 * The service's error code for a table that already exists (docs/reference/storage-api.md#errors). Constants only:
 * infra/ imports this file, because the import machine starts over on this error.
 */
export const TABLE_EXISTS_CODE = 'storage.buckets.tableAlreadyExists'
