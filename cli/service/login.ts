import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { tokenBody } from '../../functions/lib/wire/token-body.ts'
import { createApi } from '../connect/api.ts'
import { findProfile, profilesFile, readProfiles, writeProfile } from '../connect/profiles.ts'
import { describeStack } from '../connect/stack-outputs.ts'
import { jsonOption } from '../connect/storage-options.ts'
import { argument, type Call, type Command, option } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'

interface Flags {
  url?: string
  token?: string
  stack?: string
  profile?: string
}

const verified = readsAll(tokenBody, { description: true })

export const login: Command = {
  description: 'keep an installation as a profile: its address with a token, or its stack',
  options: [
    option('--url <address>', 'storage service (default: MILLRACE_URL)'),
    option('--token <token>', 'its token (default: MILLRACE_TOKEN, else it is asked for)'),
    option('--stack <name>', 'or a CloudFormation stack, whose token is read when it is needed'),
    option('--profile <name>', 'name of the profile (default: host of the address, name of the stack)'),
    jsonOption,
  ],
  run: async (call: Call<Flags>) => {
    const { flags, shell, out } = call
    const { environment } = shell
    if (flags.stack !== undefined) return loginToStack(flags.stack, call)
    const url = flags.url ?? (environment['MILLRACE_URL'] || undefined)
    if (url === undefined) throw new UserError('cli.usage', 'Which storage service? Give --url.')
    if (!URL.canParse(url))
      throw new UserError(
        'cli.usage',
        `"${url}" is not an address. Write it like https://storage.example.com.`,
      )
    const token = flags.token ?? (environment['MILLRACE_TOKEN'] || (await askForToken(url, shell)))
    const { description } = await createApi({ url, token }).get('tokens/verify', verified)
    const name = flags.profile ?? new URL(url).host
    await writeProfile(name, { url, token }, environment)
    const file = profilesFile(environment)
    out.show({ profile: name, url, description, file }, () =>
      out.line(`Logged in to ${url} as "${description}": profile ${name}, in ${file}.`),
    )
    return undefined
  },
}

const loginToStack = async (
  stack: string,
  { flags: { url, token, profile = stack }, shell: { environment }, out }: Call<Flags>,
): Promise<undefined> => {
  if (url !== undefined || token !== undefined)
    throw new UserError('cli.usage', 'A stack knows its address and its token: give --stack alone.')
  await describeStack(stack)
  await writeProfile(profile, { stack }, environment)
  const file = profilesFile(environment)
  out.show({ profile, stack, file }, () => out.line(`The stack ${stack}: profile ${profile}, in ${file}.`))
}

export const profiles: Command = {
  description: 'list the installations that login keeps; --profile NAME uses one',
  options: [jsonOption],
  run: async ({ out, shell: { environment } }: Call) => {
    const kept = Object.entries(await readProfiles(environment)).map(([name, place]) => ({
      name,
      installation: 'url' in place ? place.url : `stack ${place.stack}`,
    }))
    out.show(kept, () => {
      if (kept.length === 0) out.line('No profiles yet: millrace login --url ADDRESS --profile NAME')
      else
        out.table(
          ['PROFILE', 'INSTALLATION'],
          kept.map(each => [each.name, each.installation]),
        )
    })
    return undefined
  },
  commands: {
    delete: {
      description: 'forget a profile, and its token',
      args: [argument('<name>')],
      run: async ({ out, shell: { environment } }: Call, name: string) => {
        await findProfile(name, environment)
        await writeProfile(name, undefined, environment)
        out.show({ deleted: name }, () => out.line(`profile ${name}: forgotten`))
        return undefined
      },
    },
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
