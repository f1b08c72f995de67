import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../functions/lib/errors/errors.ts'
import { maySend } from './shell/ask.ts'
import { command, flag, number, option } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'

/** `millrace init` (docs/detect.md). */
export const init = command({
  description: 'make a configuration for an HTTP API, of a request that works',
  args: { '[datadir]': 'folder for config.json; default: this one' },
  options: {
    curl: option('<command>', 'a curl command that works; variables in it are read from the environment'),
    bucket: option('<name>', 'bucket of the tables; default: named after the host'),
    rows: number('<number>', 'rows of each table in the preview', 5),
    yes: flag('send the requests without asking'),
    noSecrets: flag('leave the values of secrets empty in config.json'),
  },
  run: async (call, dataDir?: string) => {
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
    const question = `Send up to two requests: ${method} ${url.origin}${url.pathname}?`
    if (!flags.yes && !(await maySend(question, shell))) {
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
})
