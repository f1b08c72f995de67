import { text } from 'node:stream/consumers'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { createApi, thing } from '../connect/api.ts'
import { addressOf } from '../connect/find-storage.ts'
import { keepToken, tokensFile } from '../connect/kept-tokens.ts'
import { jsonOption } from '../connect/service-command.ts'
import { askHidden } from '../shell/ask.ts'
import { command, flag, option } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'

export const login = command({
  description: 'keep the token of a service, for its address',
  options: {
    url: option('<address>', 'storage service (default: MILLRACE_URL)'),
    token: option('<token>', 'its token (default: MILLRACE_TOKEN, else it is asked for)'),
    forget: flag('forget the token that is kept'),
    ...jsonOption,
  },
  run: async ({ flags, shell, out }) => {
    const { environment } = shell
    const given = flags.url ?? (environment['MILLRACE_URL'] || undefined)
    if (given === undefined) throw new UserError('cli.usage', 'Which storage service? Give --url.')
    const url = addressOf(given)
    const file = tokensFile(environment)
    if (flags.forget) {
      await keepToken(url, undefined, environment)
      out.show({ url, forgotten: true, file }, `No token of ${url} is kept.`)
      return undefined
    }
    const token = flags.token ?? (environment['MILLRACE_TOKEN'] || (await askForToken(url, shell)))
    const { description } = await createApi({ url, token }).get('tokens/verify', thing)
    await keepToken(url, token, environment)
    out.show({ url, description, file }, `Logged in to ${url} as "${description}": the token is in ${file}.`)
    return undefined
  },
})

/** From the terminal without showing it, or from standard input. */
const askForToken = async (url: string, shell: Shell): Promise<string> => {
  const { stdin } = shell
  const token = stdin.isTTY ? await askHidden(`Token of ${url}: `, shell) : (await text(stdin)).trim()
  if (token === '') throw new UserError('cli.noToken', 'No token was given.')
  return token
}
