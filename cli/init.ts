import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../functions/lib/errors/errors.ts'
import { confirm } from './init/confirm.ts'
import type { InitFlags } from './init/flags.ts'
import { draftFile } from './init/write-draft.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'

/** `millrace init` (docs/detect.md). */
export const init: Command = {
  description:
    'make a configuration for an HTTP API: of a request that works, an OpenAPI document or a sample answer',
  args: [argument('[datadir]', 'folder for config.json; default: this one')],
  options: [
    option('--curl <command>', 'a curl command that works; variables in it are read from the environment'),
    option('--openapi <file>', 'an OpenAPI 3 document, JSON or YAML').conflicts(['curl', 'sample']),
    option('--sample <file>', 'an answer of the API: look at this one and send nothing'),
    option(
      '--url <address>',
      "the address that the sample came from, or that of the API in place of the document's",
    ),
    option('--bucket <name>', 'bucket of the tables; default: named after the host'),
    option('--rows <number>', 'rows of each table in the preview', '5'),
    option('--yes', 'send the requests without asking'),
    option('--no-secrets', 'leave the values of secrets empty in config.json'),
  ],
  run: async (call: Call<InitFlags>, dataDir?: string) => {
    const { flags, shell, out } = call
    const file = draftFile(dataDir, shell)
    if (flags.openapi !== undefined) {
      const { initFromOpenApi } = await import('./init/from-openapi.ts')
      return initFromOpenApi(call, file, flags.openapi)
    }
    const { leftOut = [], limits = {}, request } = await requestOf(call)
    const isSample = flags.sample !== undefined
    if (!isSample && flags.yes !== true) {
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
      const sample = flags.sample === undefined ? undefined : await readFile(pathIn(shell, flags.sample))
      const { draft, first } = await detectConfiguration({
        request,
        limits,
        leftOut,
        bucket: flags.bucket,
        sample,
        folder,
      })
      const { presentDraft } = await import('./init/present-draft.ts')
      return await presentDraft(call, { file, draft, first, folder, requests: 0 })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

const requestOf = async ({ flags, shell }: Call<InitFlags>) => {
  if (flags.curl !== undefined) {
    const { readCurl } = await import('../functions/lib/onboarding/detect/read-curl.ts')
    return readCurl(flags.curl, shell.environment)
  }
  if (flags.sample !== undefined && flags.url !== undefined) {
    const { takeAddress } = await import('../functions/lib/onboarding/detect/request-parts.ts')
    return {
      request: { method: 'GET' as const, headers: {}, ...takeAddress(flags.url) },
      limits: {},
      leftOut: [],
    }
  }
  throw new UserError(
    'cli.usage',
    flags.sample === undefined
      ? 'Give --curl, --openapi or --sample.'
      : 'A configuration names an address: give --url ADDRESS or --curl with --sample.',
  )
}
