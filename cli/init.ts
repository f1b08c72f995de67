import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../functions/lib/errors/errors.ts'
import type { InitFlags } from './present-draft.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'
import { maySend } from './shell/may-send.ts'
import { pathIn } from './shell/shell.ts'

/** `millrace init` (docs/detect.md). */
export const init: Command = {
  description: 'make a configuration for an HTTP API, of a request that works',
  args: [argument('[datadir]', 'folder for config.json; default: this one')],
  options: [
    option('--curl <command>', 'a curl command that works; variables in it are read from the environment'),
    option('--bucket <name>', 'bucket of the tables; default: named after the host'),
    option('--rows <number>', 'rows of each table in the preview', '5'),
    option('--yes', 'send the requests without asking'),
    option('--no-secrets', 'leave the values of secrets empty in config.json'),
  ],
  run: async (call: Call<InitFlags>, dataDir?: string) => {
    const { flags, shell, out } = call
    const file = join(pathIn(shell, dataDir ?? '.'), 'config.json')
    if (existsSync(file))
      throw new UserError(
        'cli.usage',
        `${file} is there already. Name another folder, or move it away first.`,
      )
    if (flags.curl === undefined) throw new UserError('cli.usage', 'Give a curl command that works: --curl.')
    const { readCurl } = await import('../functions/lib/onboarding/read-curl.ts')
    const command = readCurl(flags.curl, shell.environment)
    const { method, url } = command.request
    if (
      flags.yes !== true &&
      !(await maySend(`Send up to two requests: ${method} ${url.origin}${url.pathname}?`, shell))
    ) {
      out.say('Nothing was sent, and nothing written.')
      return 0
    }
    const folder = await mkdtemp(join(tmpdir(), 'millrace-init-'))
    try {
      const { detectConfiguration } = await import('../functions/lib/onboarding/detect-configuration.ts')
      const detection = await detectConfiguration({ ...command, bucket: flags.bucket, folder })
      const { presentDraft } = await import('./present-draft.ts')
      return await presentDraft(call, { file, folder, ...detection })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
