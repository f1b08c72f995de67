import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { createOutput } from '../output/output.ts'
import { sayError } from '../output/say-error.ts'
import { saveToken } from '../saved-logins.ts'
import { createApi } from './api.ts'

interface Flags {
  url?: string
  token?: string
  json?: boolean
}

const verified = z.looseObject({ description: z.string() })

export const registerLogin = (program: Command): void => {
  program
    .command('login')
    .description('keep the token of a storage service, so that --url alone is enough')
    .option('--url <address>', 'storage service (default: MILLRACE_URL)')
    .option('--token <token>', 'its token (default: MILLRACE_TOKEN, else it is asked for)')
    .option('--json', 'print JSON, for programs')
    .action(async (flags: Flags) => {
      try {
        await login(flags)
      } catch (error) {
        process.exitCode = sayError(error)
      }
    })
}

const login = async (flags: Flags): Promise<void> => {
  const url = flags.url ?? (process.env['MILLRACE_URL'] || undefined)
  if (url === undefined) throw new UserError('cli.usage', 'Which storage service? Give --url.')
  if (!URL.canParse(url))
    throw new UserError('cli.usage', `"${url}" is not an address. Write it like https://storage.example.com.`)
  const token = flags.token ?? (process.env['MILLRACE_TOKEN'] || (await askForToken(url)))
  const { description } = await createApi({ url, token }).get('tokens/verify', verified)
  const file = await saveToken(url, token, process.env)
  const out = createOutput(flags.json === true)
  out.show({ url, description, file }, () =>
    out.line(`Logged in to ${url} as "${description}". Kept in ${file}.`),
  )
}

/** From the terminal without showing it, or from standard input. */
const askForToken = async (url: string): Promise<string> => {
  const given = process.stdin.isTTY ? await askHidden(`Token of ${url}: `) : await text(process.stdin)
  const token = given.trim()
  if (token === '') throw new UserError('cli.noToken', 'No token was given.')
  return token
}

const askHidden = (question: string): Promise<string> => {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true })
  return new Promise(resolve => {
    prompt.question('', answer => {
      prompt.close()
      process.stderr.write('\n')
      resolve(answer)
    })
  })
}
