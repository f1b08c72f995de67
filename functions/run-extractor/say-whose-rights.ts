import { UserError } from '../lib/errors/errors.ts'
import type { Run } from './run.ts'

/** Says whose rights were missing for what: the service's reply says only that some were. */
export const sayWhoseRights = async <Result>(
  { authors }: Pick<Run, 'authors'>,
  what: string,
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof UserError && error.status === 403)) throw error
    const named = authors.map(({ id, description }) => `"${description}" (${id})`)
    const whose =
      named.length > 1 ? `that the tokens ${named.join(', ')} have in common` : `of the token ${named}`
    throw new UserError(
      error.code,
      `${what}: the run has the rights ${whose}, and they do not reach so far. ${error.message}`,
      { status: 403, cause: error },
    )
  }
}
