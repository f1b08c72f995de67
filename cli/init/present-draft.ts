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
  /** The answer that was seen already. The preview is made of it, and sends nothing. */
  first: HttpResponse
  folder: string
}

/** Checks a draft, writes it, says each decision and shows the first rows. Resolves to the exit code. */
export const presentDraft = async (
  { flags, out }: Call<InitFlags>,
  { file, draft, first, folder }: Presented,
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

  const { result, error } = await runTrial({
    draft: onePage(draft),
    folder,
    first,
    requests: 0,
    maxRows: rows,
  })
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
