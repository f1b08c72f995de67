import { createMasker } from '../lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../lib/extractor/requests/masking/secrets-of.ts'
import type { DraftRequest, DraftResult } from '../lib/extractor/run/preview/preview-schemas.ts'
import { isObject } from '../lib/json/json-value.ts'
import { detectConfiguration } from '../lib/onboarding/detect-configuration.ts'
import { remarksOf } from '../lib/onboarding/draft.ts'
import { readCurl } from '../lib/onboarding/read-curl.ts'
import type { TrialBounds } from '../lib/onboarding/trial.ts'

interface Place {
  /** An empty folder, removed by whoever made it. */
  folder: string
  bounds: TrialBounds
}

/**
 * Makes a configuration of a curl command, for which two requests are sent at most. Its secrets are in clear text.
 *
 * @throws UserError `extractor.draft`
 */
export const draftConfiguration = async (
  { text, bucket }: Pick<DraftRequest, 'text' | 'bucket'>,
  place: Place,
): Promise<DraftResult> => {
  const { draft } = await detectConfiguration({ ...readCurl(text), bucket, ...place })
  const masker = createMasker(secretsOf(draft).values())
  const remarks = remarksOf(draft.parameters).map(([path, why]) => ({ path, why: masker.mask(why) }))
  return { remarks, configuration: withoutRemarks({ ...draft }) as Record<string, unknown> } // an object stays one
}

/** Remarks are shown beside the configuration, not stored in it. */
const withoutRemarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutRemarks)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => key !== '__why')
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutRemarks(inner)]))
}
