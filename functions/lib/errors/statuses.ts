import type { StatusOf, UserCode } from './codes.ts'

type DefaultStatus = 400 | undefined

/** Codes of user errors that are answered with another status than 400. */
type Exceptional = { [Code in UserCode]: StatusOf<Code> extends DefaultStatus ? never : Code }[UserCode]

/**
 * The catalogue's statuses as an error needs them while it is made, without the catalogue's texts. The type holds the
 * two together: neither a code nor its status can differ.
 */
const statuses: { readonly [Code in Exceptional]: StatusOf<Code> } = {
  'storage.tokenMissing': 401,
  'storage.tokenInvalid': 401,
  accessDenied: 403,
  'storage.tooManyAtOnce': 429,
  notFound: 404,
  methodNotAllowed: 405,
  'storage.unsupportedMediaType': 415,
  'storage.requestTooLarge': 413,
  'storage.responseTooLarge': 413,
  'storage.tooSlow': 504,
  'storage.idempotencyKeyReused': 422,
  notImplemented: 501,
  'storage.dataFormat': 501,
  'storage.buckets.notFound': 404,
  'storage.bucket.ownerNotFound': 404,
  'storage.tables.notFound': 404,
  'storage.columns.notFound': 404,
  'storage.tables.columns.notFound': 404,
  'storage.webalize.displayName.invalid': 422,
  'storage.files.notFound': 404,
  'storage.snapshots.notFound': 404,
  'storage.components.configurations.versionConflict': 409,
  'storage.components.configurations.versionChanged': 412,
  'storage.jobs.notFound': 404,
  'storage.jobs.ended': 409,
  'storage.deadLetters.notFound': 404,
  'storage.runs.notFound': 404,
  'storage.tokens.notFound': 404,
  'storage.events.notFound': 404,
  'storage.metadata.notFound': 404,
  'storage.triggers.notFound': 404,
  'iceberg.namespaceNotFound': 404,
  'iceberg.tableNotFound': 404,
  'iceberg.warehouseNotFound': 404,
  'iceberg.notServed': 406,
}

const byCode: ReadonlyMap<string, number> = new Map(Object.entries(statuses))

/** What the storage API answers for a user's error with this code. */
export const statusOf = (code: string): number => byCode.get(code) ?? 400
