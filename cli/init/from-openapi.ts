import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOpenApi } from '../../functions/lib/onboarding/detect/openapi/document.ts'
import { draftOfDocument } from '../../functions/lib/onboarding/detect/openapi/draft-of-document.ts'
import { plural } from '../../functions/lib/plural.ts'
import type { Call } from '../shell/command.ts'
import { pathIn } from '../shell/shell.ts'
import { confirm } from './confirm.ts'
import type { InitFlags } from './flags.ts'
import { presentDraft } from './present-draft.ts'
import { secretNames } from './write-draft.ts'

/** Requests of a preview, when there are many jobs or rows with children. */
const MOST_REQUESTS = 20

/** A configuration of an OpenAPI document. Without secrets to fill in, the first rows are shown too. */
export const initFromOpenApi = async (
  call: Call<InitFlags>,
  file: string,
  source: string,
): Promise<number> => {
  const { flags, shell, out } = call
  const document = readOpenApi(await readFile(pathIn(shell, source), 'utf8'))
  const draft = draftOfDocument(document, { url: flags.url, bucket: flags.bucket })
  const { api, config } = draft.parameters
  const isOpen = secretNames(config).length === 0
  const question = `Send up to ${plural(Math.min(MOST_REQUESTS, config.jobs.length * 2), 'request')} to ${String(api['baseUrl'])} for a preview?`
  const asks =
    isOpen && (flags.yes === true || (shell.stdin.isTTY === true && (await confirm(question, shell))))
  const folder = await mkdtemp(join(tmpdir(), 'millrace-init-'))
  try {
    const code = await presentDraft(call, {
      file,
      draft,
      folder,
      requests: asks ? Math.min(MOST_REQUESTS, config.jobs.length * 2) : undefined,
    })
    if (!isOpen) out.say('No preview: fill in the secrets, then look with: millrace config preview')
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
