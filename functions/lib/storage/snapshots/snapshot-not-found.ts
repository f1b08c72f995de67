import { UserError } from '../../errors/errors.ts'

/** 404 `storage.snapshots.notFound`. */
export const snapshotNotFound = (id: number | string): UserError =>
  new UserError('storage.snapshots.notFound', `The snapshot "${String(id).slice(0, 30)}" was not found`, {
    status: 404,
  })
