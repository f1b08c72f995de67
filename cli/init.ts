import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../functions/lib/errors/errors.ts'
import { confirm } from './init/confirm.ts'
import type { InitFlags } from './init/flags.ts'
import { draftFile } from './init/write-draft.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'

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
    const file = draftFile(dataDir, shell)
    if (flags.curl === undefined) throw new UserError('cli.usage', 'Give a curl command that works: --curl.')
    const { readCurl } = await import('../functions/lib/onboarding/detect/read-curl.ts')
    const command = readCurl(flags.curl, shell.environment)
    const { request } = command
    if (flags.yes !== true) {
      const question = `Send up to two requests: ${request.method} ${request.url.origin}${request.url.pathname}?`
      if (!(await confirm(question, shell))) {
        out.say('Nothing was sent, and nothing written.')
        return 0
      }
    }
    const folder = await mkdtemp(join(tmpdir(), 'millrace-init-'))
    try {
      const { detectConfiguration } = await import(
        '../functions/lib/onboarding/detect/detect-configuration.ts'
      )
      const { draft, first } = await detectConfiguration({ ...command, bucket: flags.bucket, folder })
      const { presentDraft } = await import('./init/present-draft.ts')
      return await presentDraft(call, { file, draft, first, folder })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
