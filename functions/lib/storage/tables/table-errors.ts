import { TransientError, UserError } from '../../errors/errors.ts'

/** 404 `storage.tables.notFound`, in the hosted service's words. */
export const tableNotFound = (tableId: string, projectId: number | string): UserError => {
  const dot = tableId.lastIndexOf('.')
  // Neither name is empty: whoever reads the sentence sees what is missing.
  if (dot < 1 || dot === tableId.length - 1)
    return new UserError(
      'storage.tables.notFound',
      `The table "${tableId.slice(0, 250)}" was not found in the project "${projectId}": the id of a table begins with its bucket, like in.c-main.orders`,
    )
  const bucketId = tableId.slice(0, dot)
  return new UserError(
    'storage.tables.notFound',
    `The table "${tableId.slice(dot + 1, dot + 250)}" was not found in the bucket "${bucketId.slice(0, 250)}" in the project "${projectId}"`,
  )
}

export const tableBusy = (tableId: string): TransientError =>
  new TransientError('storage.tables.busy', `The table "${tableId}" is being changed by another request.`)

/** 400 `storage.buckets.tableAlreadyExists` for the name of the table that is there, from the request or from the job that was slower. */
export const tableAlreadyExists = (name: string, displayName: string): UserError =>
  new UserError(
    'storage.buckets.tableAlreadyExists',
    `The table "${name}" in the bucket already has the same display name "${displayName}".`,
  )

/** 400 `storage.timetravel.invalid`: the table did not exist then. */
export const beforeTable = (tableId: string, { created }: { created: string }, at: string): UserError =>
  new UserError(
    'storage.timetravel.invalid',
    `The table "${tableId}" was created at ${created}, after the time ${at} that was asked for.`,
  )

/** 400 `storage.tables.aliasImportNotAllowed`, for whatever needs rows of its own. */
export const aliasHoldsNoRows = ({
  bucketId,
  name,
  sourceTableId,
}: {
  bucketId: string
  name: string
  sourceTableId: string
}): UserError =>
  new UserError(
    'storage.tables.aliasImportNotAllowed',
    `The table "${bucketId}.${name}" is an alias and holds no rows of its own. Use its source table "${sourceTableId}".`,
  )
