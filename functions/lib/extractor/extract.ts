import { checkShape } from './config/check-shape.ts'
import type { ExtractOptions, ExtractResult } from './extract-options.ts'
import { maskError } from './masking/mask-error.ts'
import { createMasker } from './masking/masker.ts'
import { secretsOf } from './masking/secrets-of.ts'
import { openExtraction } from './runner/extraction.ts'
import { finishExtraction } from './runner/finish-extraction.ts'
import { keepWindows } from './runner/keep-windows.ts'
import { runIterations } from './runner/run-iterations.ts'

export type {
  ExtractCheckpoint,
  ExtractOptions,
  ExtractResult,
  ExtractSummary,
  KeptWindows,
  Progress,
} from './extract-options.ts'

/**
 * Runs an extraction, or a leg of it: requests, tables, state.
 *
 * Resolves when all jobs are done (`finished: true`, tables and manifests are in `outDir`), or with a checkpoint once a
 * stop was asked for by `signal` or `deadline` and the requests under way have ended. Nothing is written to `outDir` before
 * the end, so a failed run leaves no tables and no state.
 *
 * @throws UserError for every fault of the configuration or the API; secrets are masked
 */
export const extract = async (options: ExtractOptions): Promise<ExtractResult> => {
  checkShape(options.config)
  const secrets = secretsOf(options.config)
  const masker = createMasker(secrets.values())
  try {
    return await extractMasked(options, secrets, masker)
  } catch (error) {
    throw maskError(error, masker)
  }
}

const extractMasked = async (
  options: ExtractOptions,
  secrets: ReadonlyMap<string, string>,
  masker: ReturnType<typeof createMasker>,
): Promise<ExtractResult> => {
  const extraction = await openExtraction(options, secrets, masker)
  try {
    return (await runIterations(extraction)) ?? (await finishExtraction(extraction))
  } catch (error) {
    await keepWindows(extraction, error)
    throw error
  } finally {
    extraction.close()
  }
}
