import * as z from 'zod/mini'
import { described } from '../../wire/described.ts'
import { codeAndMessage } from '../../wire/fields.ts'
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
})

export type PreviewResult = z.infer<typeof previewResult>

/** The preview of a stored configuration: of this row, or of the configuration when it has none. */
export const previewBody = z
  .extend(previewResult, { rowId: z.nullable(z.string()), name: z.string() })
  .register(described, { name: 'ConfigurationPreview' })
