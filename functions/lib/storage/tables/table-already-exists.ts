import { UserError } from '../../errors/errors.ts'

/** 400 `storage.buckets.tableAlreadyExists`, from the request or from the job that came second. */
export const tableAlreadyExists = (name: string, displayName: string): UserError =>
  new UserError(
    'storage.buckets.tableAlreadyExists',
    `The table "${name}" in the bucket already has the same display name "${displayName}".`,
  )
