import { UserError } from '../lib/errors/errors.ts'
import { createMasker } from '../lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../lib/extractor/requests/masking/secrets-of.ts'
import type { DraftRequest, DraftResult } from '../lib/extractor/run/preview/preview-schemas.ts'
import type { JsonObject } from '../lib/json/json-value.ts'
import { isObject } from '../lib/json/json-value.ts'
import { detectConfiguration } from '../lib/onboarding/detect/detect-configuration.ts'
import { type Draft, remarksOf } from '../lib/onboarding/detect/draft.ts'
import type { KnownRequest } from '../lib/onboarding/detect/known-request.ts'
import { readOpenApi } from '../lib/onboarding/detect/openapi/document.ts'
import { draftOfDocument } from '../lib/onboarding/detect/openapi/draft-of-document.ts'
import { readCurl } from '../lib/onboarding/detect/read-curl.ts'
import { takeAddress } from '../lib/onboarding/detect/request-parts.ts'
import type { TrialBounds } from '../lib/onboarding/detect/trial.ts'
import { formatOf, importConfiguration } from '../lib/onboarding/import/import-configuration.ts'
import { readForeign } from '../lib/onboarding/read-foreign.ts'

type Given = Pick<DraftRequest, 'text' | 'url' | 'settings' | 'bucket'>
type Made = Pick<DraftResult, 'kind' | 'losses'> & { draft: Draft | { parameters: JsonObject } }

interface Place {
  /** An empty folder, removed by whoever made it. */
  folder: string
  bounds: TrialBounds
}

/**
 * Makes a configuration of whatever somebody has pasted: what it is, is seen by how it looks. Only of a command, an address or an answer
 * requests are sent, two at most. Its secrets are in clear text.
 *
 * @throws UserError `extractor.draft`
 */
export const draftConfiguration = async (given: Given, place: Place): Promise<DraftResult> => {
  const { kind, losses, draft } = await make(given, place)
  const masker = createMasker(secretsOf(draft).values())
  const remarks = remarksOf(draft.parameters).map(([path, why]) => ({ path, why: masker.mask(why) }))
  return { kind, losses, remarks, configuration: withoutRemarks({ ...draft }) as Record<string, unknown> } // an object stays one
}

const make = async (given: Given, place: Place): Promise<Made> => {
  const { url, bucket, settings = {} } = given
  const text = given.text.trim()
  if (/^curl(\.exe)?\s/i.test(text)) {
    const { draft } = await detectConfiguration({ ...readCurl(text), bucket, ...place })
    return { kind: 'curl', losses: [], draft }
  }
  if (/^https?:\/\/\S+$/i.test(text)) {
    const { draft } = await detectConfiguration({ request: getOf(text), bucket, ...place })
    return { kind: 'address', losses: [], draft }
  }
  const document = text.startsWith('[') ? undefined : readForeign(text, 'The text', LARGEST)
  if (document !== undefined && (document['openapi'] ?? document['swagger']) !== undefined)
    return { kind: 'openapi', losses: [], draft: draftOfDocument(readOpenApi(text), { url, bucket }) }
  const { parameters } = document ?? {}
  if (isObject(parameters)) return { kind: 'configuration', losses: [], draft: { ...document, parameters } }
  const format = document && formatOf(document)
  if (format === undefined)
    return { kind: 'answer', losses: [], draft: await draftOfAnswer(text, given, place) }
  // What was sent as JSON.
  const imported = importConfiguration(text, { format, bucket, settings: settings as JsonObject })
  if (imported.draft === undefined) throw imported.problem
  return { kind: format, losses: [...imported.losses], draft: imported.draft }
}

/** Of what a request may hold. */
const LARGEST = { characters: 10 * 1024 ** 2, values: 1_000_000 }

const draftOfAnswer = async (text: string, { url, bucket }: Given, place: Place): Promise<Draft> => {
  if (url === undefined)
    throw new UserError(
      'extractor.draft',
      'This looks like an answer of an API. Give the address that it came from, too.',
    )
  const { draft } = await detectConfiguration({
    request: getOf(url),
    bucket,
    sample: Buffer.from(text),
    ...place,
  })
  return draft
}

const getOf = (address: string): KnownRequest => ({ method: 'GET', headers: {}, ...takeAddress(address) })

/** Remarks are shown beside the configuration, not stored in it. */
const withoutRemarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutRemarks)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => key !== '__why')
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutRemarks(inner)]))
}
