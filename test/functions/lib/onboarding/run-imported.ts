import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { extract } from '#lib/extractor/run/extract.ts'
import type { JsonObject } from '#lib/json/json-value.ts'
import { importConfiguration } from '#lib/onboarding/import/import-configuration.ts'
import { type Answer, startApi } from '../extractor/api-server.ts'
import { readTables } from '../extractor/run-extraction.ts'

/** As `importConfiguration`, of what can be read. */
export const importedDraft: (
  ...given: Parameters<typeof importConfiguration>
) => Extract<ReturnType<typeof importConfiguration>, { problem?: undefined }> = (...given) => {
  const imported = importConfiguration(...given)
  if (imported.draft === undefined) throw imported.problem
  return imported
}

/** Imports a foreign configuration and runs what came out, against an API. `ORIGIN` in the text is its address. */
export const runImported = async (text: string, answer: Answer, settings: JsonObject = {}) => {
  const api = await startApi(answer)
  const folder = mkdtempSync(join(tmpdir(), 'imported-'))
  try {
    const imported = importedDraft(text.replaceAll('ORIGIN', api.origin), { settings, bucket: 'b' })
    const warnings = checkConfiguration({ ...imported.draft })
    const outDir = join(folder, 'out')
    await extract({
      config: JSON.parse(JSON.stringify(imported.draft)),
      outDir,
      spoolDir: join(folder, 'spool'),
    })
    return {
      ...imported,
      ...imported.draft.parameters,
      warnings,
      tables: readTables(outDir),
      requests: api.requests,
    }
  } finally {
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
