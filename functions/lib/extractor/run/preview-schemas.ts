import * as z from 'zod/mini'
import { codeAndMessage, described } from '../../wire/fields.ts'
import { jobOutcome } from '../../wire/run-body.ts'

const jsonObject = z.record(z.string(), z.unknown())

/** What to preview: a configuration as it is stored, secrets sealed, with what is needed to open them. */
export const previewRequest = z.object({
  componentId: z.string(),
  configId: z.string(),
  /** A row merged with its root, or a configuration without rows. */
  configuration: jsonObject,
  state: jsonObject,
  imageParameters: jsonObject,
  adoptedSecrets: z.array(z.string()),
  rows: z.int().check(z.minimum(1)),
})

export type PreviewRequest = z.infer<typeof previewRequest>

/** What to make a configuration of, and to preview then. */
export const draftRequest = z.object({
  ...z.pick(previewRequest, { componentId: true, configId: true, imageParameters: true, rows: true }).shape,
  /** A curl command. */
  text: z.string(),
  bucket: z.optional(z.string()),
})

export type DraftRequest = z.infer<typeof draftRequest>

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

const message = z.object({
  headers,
  /** The beginning of the body as text; empty when there is none. */
  body: z.string(),
  /** Bytes of the whole body. */
  bodyBytes: z.int(),
  isBodyCut: z.boolean(),
})

const exchange = z.object({
  /** From 1, in the order of sending. */
  number: z.int(),
  /** Seconds after the preview began. */
  at: z.number(),
  /** How long the answer took. */
  seconds: z.number(),
  request: z.extend(message, { method: z.string(), url: z.string() }),
  /** Null: there was none, see `failure`. */
  response: z.nullable(z.extend(message, { status: z.int() })),
  /** Why there was no answer. */
  failure: z.nullable(z.string()),
})

export type Exchange = z.infer<typeof exchange>

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  rowsCount: z.int(),
  /** Whether rows or ends of cells were left out. */
  isCut: z.boolean(),
})

export type PreviewTable = z.infer<typeof table>

/** What was guessed and why, with the place in `parameters`. */
export const draftRemarks = z.array(z.object({ path: z.string(), why: z.string() }))

const draft = z.object({ configuration: jsonObject, remarks: draftRemarks })

export type DraftResult = z.infer<typeof draft>

/** What a preview shows, secrets masked. */
export const previewResult = z.object({
  /** Which limit ended it before its jobs were done: there are no tables then. */
  stoppedBy: z.nullable(z.enum(['requests', 'seconds', 'bytes'])),
  error: z.nullable(codeAndMessage),
  tables: z.array(table),
  exchanges: z.array(exchange),
  /** What each job did and why it ended; nothing when the extraction failed. */
  jobs: z.array(jobOutcome),
  log: z.array(z.object({ level: z.string(), message: z.string() })),
  /** Of what was made of a text; absent, too, when nothing could be made of it. */
  draft: z.optional(draft),
})

export type PreviewResult = z.infer<typeof previewResult>

/** The preview of a stored configuration: of this row, or of the configuration when it has none. */
export const previewBody = z
  .extend(z.omit(previewResult, { draft: true }), { rowId: z.nullable(z.string()), name: z.string() })
  .register(described, { id: 'ConfigurationPreview' })

/** A configuration that is not stored yet, its secrets sealed for the id that it may be stored under, with its preview. */
export const draftBody = z
  .extend(previewResult, { configurationId: z.string() })
  .register(described, { id: 'ConfigurationDraft' })

export type DraftBody = z.infer<typeof draftBody>

/** Within what a request has the time for, and what its reply may hold (docs/reference/storage-api.md#limits). */
export const PREVIEW_LIMITS = {
  requests: 50,
  seconds: 15,
  /** Of all answers together, and of each. */
  bytes: 10_000_000,
  /** Of each body that is shown, and of all together. */
  shownBodyBytes: 16_384,
  shownBytes: 400_000,
  /** Characters of all cells together, and of each. */
  shownCellsLength: 400_000,
  shownCellLength: 1_000,
  logLines: 200,
}

export type PreviewLimits = typeof PREVIEW_LIMITS
