import { UserError } from '../lib/errors/errors.ts'
import type { Run } from './run.ts'

/** Says whose rights were missing for what: the service's reply says only that some were. */
export const sayWhoseRights = async <Result>(
  { author }: Pick<Run, 'author'>,
  what: string,
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof UserError && error.status === 403)) throw error
    const token = author ? `"${author.description}" (${author.id})` : 'of its author'
    throw new UserError(
      error.code,
      `${what}: the run has the rights of the token ${token}, and they do not reach so far. ${error.message}`,
      { status: 403, cause: error },
    )
  }
}
