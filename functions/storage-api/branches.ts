import { UserError } from '../lib/errors.ts'

/** The one branch there is. */
export const defaultBranch = { id: 1, name: 'Main' } as const

/** The branch that a path names, by `default` or by its id. Throws 404 `notFound` for any other. */
export const findBranch = (name: string): typeof defaultBranch => {
  if (name !== 'default' && name !== String(defaultBranch.id))
    throw new UserError('notFound', `Branch "${name.slice(0, 50)}" not found`, { status: 404 })
  return defaultBranch
}
