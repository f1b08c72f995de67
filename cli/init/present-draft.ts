import { UserError } from '../../functions/lib/errors/errors.ts'
import type { HttpResponse } from '../../functions/lib/extractor/requests/answers/http-response.ts'
import { createMasker } from '../../functions/lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../../functions/lib/extractor/requests/masking/secrets-of.ts'
import { checkConfiguration } from '../../functions/lib/extractor/run/check-configuration.ts'
import { type Draft, remarksOf } from '../../functions/lib/onboarding/detect/draft.ts'
import { onePage, runTrial } from '../../functions/lib/onboarding/detect/trial.ts'
import { plural } from '../../functions/lib/plural.ts'
import { wholeNumber } from '../connect/options.ts'
import type { Call } from '../shell/command.ts'
import { previewTables } from '../shell/preview-tables.ts'
import type { InitFlags } from './flags.ts'
import { secretNames, withoutValues, writeDraft } from './write-draft.ts'

interface Presented {
  file: string
  draft: Draft
  /** An answer that was seen already, for the first request of the preview. */
  first?: HttpResponse | undefined
  folder: string
  /** So many more may be sent for the preview; `undefined`: there is no preview. */
  requests: number | undefined
}

/** Checks a draft, writes it, says each decision and shows the first rows. Resolves to the exit code. */
export const presentDraft = async (
  { flags, out }: Call<InitFlags>,
  { file, draft, first, folder, requests }: Presented,
): Promise<number> => {
  const { config } = draft.parameters
  const masker = createMasker(secretsOf(draft).values())
  const kept =
    flags.secrets === false ? { parameters: { ...draft.parameters, config: withoutValues(config) } } : draft
  const warnings = checkConfiguration({ ...kept })
  const rows = wholeNumber(flags.rows ?? '5')
  await writeDraft(file, kept)

  out.line(`${file}: valid, ${plural(config.jobs.length, 'job')}.`, 'green')
  for (const [place, remark] of remarksOf(draft.parameters)) out.line(`  ${place}: ${masker.mask(remark)}`)
  for (const warning of warnings) out.line(`  ${warning}`, 'yellow')
  sayWhereSecretsAre(secretNames(config), flags.secrets === false, out)
  if (requests === undefined) return 0

  const { result, error } = await runTrial({ draft: onePage(draft), folder, first, requests, maxRows: rows })
  if (result?.finished === true) {
    out.line('')
    out.line(masker.mask(await previewTables(result.tables)))
    for (const warning of result.warnings) out.line(masker.mask(warning), 'yellow')
    return 0
  }
  throw error ?? new UserError('cli.usage', 'The preview did not come to its end within its requests.')
}

const sayWhereSecretsAre = (names: readonly string[], areEmpty: boolean, out: Call['out']): void => {
  if (names.length === 0) return
  const listed = names.join(', ')
  out.line(
    areEmpty
      ? `  Secrets: ${listed} left empty. Fill them in before a run.`
      : `  Secrets: ${listed} in clear text, as the format has it; only you may read the file. Storing it ` +
          '(millrace config put) seals them; --no-secrets leaves them empty.',
    'yellow',
  )
}
