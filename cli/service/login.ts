import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { tokenBody } from '../../functions/lib/wire/token-body.ts'
import { createApi } from '../connect/api.ts'
import { keepToken, tokensFile } from '../connect/kept-tokens.ts'
import { jsonOption } from '../connect/storage-options.ts'
import { type Call, type Command, option } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'

interface Flags {
  url?: string
  token?: string
  forget?: boolean
}

const verified = readsAll(tokenBody, { description: true })

export const login: Command = {
  description: 'keep the token of a service, for its address',
  options: [
    option('--url <address>', 'storage service (default: MILLRACE_URL)'),
    option('--token <token>', 'its token (default: MILLRACE_TOKEN, else it is asked for)'),
    option('--forget', 'forget the token that is kept'),
    jsonOption,
  ],
  run: async ({ flags, shell, out }: Call<Flags>) => {
    const { environment } = shell
    const url = flags.url ?? (environment['MILLRACE_URL'] || undefined)
    if (url === undefined) throw new UserError('cli.usage', 'Which storage service? Give --url.')
    if (!URL.canParse(url))
      throw new UserError(
        'cli.usage',
        `"${url}" is not an address. Write it like https://storage.example.com.`,
      )
    const file = tokensFile(environment)
    if (flags.forget) {
      await keepToken(url, undefined, environment)
      out.show({ url, forgotten: true, file }, () => out.line(`No token of ${url} is kept.`))
      return undefined
    }
    const token = flags.token ?? (environment['MILLRACE_TOKEN'] || (await askForToken(url, shell)))
    const { description } = await createApi({ url, token }).get('tokens/verify', verified)
    await keepToken(url, token, environment)
    out.show({ url, description, file }, () =>
      out.line(`Logged in to ${url} as "${description}": the token is in ${file}.`),
    )
    return undefined
  },
}

/** From the terminal without showing it, or from standard input. */
const askForToken = async (url: string, shell: Shell): Promise<string> => {
  const { stdin } = shell
  const given = stdin.isTTY ? await askHidden(`Token of ${url}: `, shell) : await text(stdin)
  const token = given.trim()
  if (token === '') throw new UserError('cli.noToken', 'No token was given.')
  return token
}

const askHidden = (question: string, { stdin, stderr }: Shell): Promise<string> => {
  stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: stdin, output: silent, terminal: true })
  return new Promise(resolve => {
    prompt.question('', answer => {
      resolve(answer)
      prompt.close()
    })
    prompt.once('close', () => {
      stderr.write('\n')
      resolve('') // Unless it was answered: somebody pressed Ctrl-C
    })
  })
}
