import * as z from 'zod/mini'
import { hintAt } from '../../functions/lib/errors/did-you-mean.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { type Api, path } from './api.ts'

const named = z.array(z.object({ id: z.string() }))

/** What is not there under the first argument, with the name that was probably meant: a table, or a configuration. */
export const withMeantName = async (
  error: unknown,
  api: Api,
  [given = '']: readonly string[],
): Promise<unknown> => {
  if (!(error instanceof UserError) || error.status !== 404) return error
  const [componentId = '', configId] = given.split('/')
  const [name, list] =
    configId === undefined ? [given, 'tables?include='] : [configId, path`components/${componentId}/configs`]
  if (!error.message.includes(name.slice(name.lastIndexOf('.') + 1))) return error
  const known = await api.get(list, named).catch(() => [])
  const hint = hintAt(
    name,
    known.map(({ id }) => id),
  )
  return hint === ''
    ? error
    : new UserError(error.code, `${error.message}${hint}`, { cause: error, status: 404 })
}
