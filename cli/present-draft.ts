import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../functions/lib/errors/errors.ts'
import type { HttpResponse } from '../functions/lib/extractor/requests/answers/http-response.ts'
import { createMasker } from '../functions/lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../functions/lib/extractor/requests/masking/secrets-of.ts'
import { checkConfiguration } from '../functions/lib/extractor/run/check-configuration.ts'
import { type Draft, remarksOf } from '../functions/lib/onboarding/draft.ts'
import { runTrial } from '../functions/lib/onboarding/trial.ts'
import type { Call } from './shell/command.ts'
import { previewTables } from './shell/preview-tables.ts'

interface Presented {
  file: string
  draft: Draft
  /** The answer that was seen already. The preview is made of it, and sends nothing. */
  first: HttpResponse
  folder: string
}

/** Checks a draft, writes it, says each decision and shows the first rows. Resolves to the exit code. */
export const presentDraft = async (
  { flags, out }: Call<{ rows: number; noSecrets: boolean | undefined }>,
  { file, draft, first, folder }: Presented,
): Promise<number> => {
  const { config } = draft.parameters
  const masker = createMasker(secretsOf(draft).values())
  const secrets = Object.keys(config).filter(name => name.startsWith('#'))
  const kept = flags.noSecrets
    ? { ...config, ...Object.fromEntries(secrets.map(name => [name, ''])) }
    : config
  const written = { parameters: { ...draft.parameters, config: kept } }
  const mistake = checkConfiguration(written)
  await mkdir(join(file, '..'), { recursive: true })
  // Only its owner may read it: it may hold secrets
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`, { flag: 'wx', mode: 0o600 })

  out.line(`${file}: valid, 1 job.`, 'green')
  for (const [place, remark] of remarksOf(draft.parameters)) out.line(`  ${place}: ${masker.mask(remark)}`)
  if (mistake) out.line(`  ${mistake.message}`, 'yellow')
  if (secrets.length > 0)
    out.line(
      `  Secrets: ${secrets.join(', ')} ${
        flags.noSecrets
          ? 'left empty. Fill them in before a run.'
          : 'in clear text, as the format has it; only you may read the file. Storing it ' +
            '(millrace config put) seals them; --no-secrets leaves them empty.'
      }`,
      'yellow',
    )

  const { result, error } = await runTrial({ draft, folder, first, pages: 1, maxRows: flags.rows })
  if (result?.finished !== true)
    throw error ?? new UserError('cli.usage', 'The preview did not come to its end within its requests.')
  out.line('')
  out.line(masker.mask(await previewTables(result.tables)))
  for (const warning of result.warnings) out.line(masker.mask(warning), 'yellow')
  return 0
}
