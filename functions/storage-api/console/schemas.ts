import { z } from 'zod'

/** What the pages read of the API's replies. Other fields are passed over. */

const text = z
  .string()
  .nullish()
  .transform(value => value ?? '')

export const tokenSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  description: text,
  isMasterToken: z.boolean().default(false),
  canManageBuckets: z.boolean().default(false),
  canManageTokens: z.boolean().default(false),
  created: text,
  expires: text,
  bucketPermissions: z.unknown().optional(),
})

export const bucketSchema = z.object({
  id: z.string(),
  displayName: text,
  description: text,
  rowsCount: z.number().nullish(),
  dataSizeBytes: z.number().nullish(),
})

export const tableSchema = z.object({
  id: z.string(),
  name: z.string(),
  primaryKey: z.array(z.string()),
  created: text,
  lastImportDate: text,
  lastChangeDate: text,
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  isAlias: z.boolean().default(false),
  isTyped: z.boolean().default(false),
  columns: z.array(z.string()).default([]),
})

export type Table = z.output<typeof tableSchema>

export const jobSchema = z.object({
  id: z.number(),
  status: z.enum(['waiting', 'processing', 'success', 'error']),
  tableId: text,
  operationName: z.string(),
  operationParams: z.unknown().optional(),
  createdTime: text,
  startTime: text,
  endTime: text,
  runId: text,
  results: z.unknown().optional(),
  error: z.object({ code: text, message: text, exceptionId: text }).optional(),
  metrics: z.object({ inBytes: z.number().nullish(), outBytes: z.number().nullish() }).partial().optional(),
  creatorToken: z.object({ description: text }).partial().optional(),
})

export type Job = z.output<typeof jobSchema>

export const eventSchema = z.object({
  id: z.number(),
  event: text,
  type: z.enum(['info', 'success', 'warn', 'error']),
  message: text,
  description: text,
  created: text,
  component: text,
  objectId: text,
  objectType: text,
  runId: text,
  params: z.unknown(),
  results: z.unknown(),
})

export type Event = z.output<typeof eventSchema>

export const fileSchema = z.object({
  id: z.number(),
  name: z.string(),
  created: text,
  sizeBytes: z.number().nullish(),
  isSliced: z.boolean().default(false),
  isEncrypted: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
  url: text,
  maxAgeDays: z.number().nullish(),
  runId: text,
})

export type StoredFile = z.output<typeof fileSchema>

export const configurationSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  name: text,
  description: text,
  created: text,
  version: z.number(),
  isDisabled: z.boolean().default(false),
  changeDescription: text,
  configuration: z.unknown(),
  state: z.unknown().optional(),
  rows: z.array(z.object({ id: z.string(), name: text, isDisabled: z.boolean().default(false) })).default([]),
})

export const componentSchema = z.object({
  id: z.string(),
  name: text,
  type: text,
  configurations: z.array(configurationSchema).default([]),
})

export const versionSchema = z.object({
  version: z.number(),
  created: text,
  changeDescription: text,
  creatorToken: z.object({ description: text }).partial().optional(),
})

export const runSchema = z.object({
  componentId: z.string(),
  configId: z.string(),
  trigger: text,
  status: z.string(),
  startTime: text,
  durationSeconds: z.number().nullable(),
  rowsLoaded: z.number().nullable(),
  error: z.object({ code: text, message: text }).nullable(),
})

export type Run = z.output<typeof runSchema>

export const deadLetterSchema = z.object({
  id: z.string(),
  machine: z.string(),
  input: z.unknown(),
  failure: z.object({ code: text, message: text }),
  details: z.unknown(),
  created: text,
  isRedrivable: z.boolean(),
  redrive: text,
})

export type DeadLetter = z.output<typeof deadLetterSchema>

export const versionContentSchema = versionSchema.extend({ configuration: z.unknown() })

/** Replies that no page looks into. */
export const anything = z.unknown()
