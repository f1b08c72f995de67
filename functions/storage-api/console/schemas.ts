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
  rows: z
    .array(
      z.object({
        id: z.string(),
        name: text,
        version: z.number().default(1),
        isDisabled: z.boolean().default(false),
        configuration: z.unknown(),
        state: z.unknown().optional(),
      }),
    )
    .default([]),
})

export const componentSchema = z.object({
  id: z.string(),
  name: text,
  type: text,
  configurations: z.array(configurationSchema).default([]),
})

/** The schema of `parameters`. Empty: any object is right. */
export const schemaOfComponent = z.object({
  configurationSchema: z.record(z.string(), z.unknown()).default({}),
})

export const versionSchema = z.object({
  version: z.number(),
  created: text,
  changeDescription: text,
  creatorToken: z.object({ description: text }).partial().optional(),
})

/** What a run did, row by row. Older runs lack parts of it. */
const runResultsSchema = z
  .object({
    seconds: z.number().nullish(),
    status: text,
    rows: z.array(
      z.object({
        id: z.string().nullish(),
        name: text,
        status: z.string(),
        rowsLoaded: z.number().catch(0),
        requests: z.number().catch(0),
        seconds: z.number().catch(0),
        legs: z.number().catch(0),
        limitWaitSeconds: z.number().catch(0),
        unchanged: z.number().catch(0),
        warnings: z.array(z.string()).catch([]),
        tables: z.array(z.object({ tableId: z.string(), rows: z.number() })).catch([]),
        drift: z
          .object({
            compared: z.number(),
            changes: z.array(
              z.object({
                table: z.string(),
                column: z.string().optional(),
                change: z.string(),
                before: z.string().optional(),
                after: z.string().optional(),
              }),
            ),
            more: z.number(),
          })
          .nullish()
          .catch(null),
        jobs: z
          .array(
            z.object({
              job: z.string(),
              endpoint: z.string(),
              dataType: z.string(),
              pages: z.number(),
              rows: z.number(),
              ended: z.record(z.string(), z.number()),
            }),
          )
          .catch([]),
        error: z.object({ code: text, message: text }).nullish(),
      }),
    ),
  })
  .nullable()
  .catch(null)

export type RunResults = z.output<typeof runResultsSchema>

export const runSchema = z.object({
  id: z.string(),
  componentId: z.string(),
  configId: z.string(),
  trigger: text,
  status: z.string(),
  startTime: text,
  endTime: text,
  durationSeconds: z.number().nullable(),
  requests: z.number().nullable(),
  rowsLoaded: z.number().nullable(),
  error: z.object({ code: text, message: text }).nullable(),
  results: runResultsSchema.optional(),
  decision: z.object({ decision: text, runId: z.string(), status: z.string() }).nullish(),
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
  hasNewestVersion: z.boolean(),
  redrive: text,
})

export const workLogSchema = z.object({
  lines: z.array(
    z.looseObject({ timestamp: z.string(), level: z.string(), message: z.string(), service: z.string() }),
  ),
  isComplete: z.boolean(),
  insights: z.string().nullable(),
})

export type WorkLog = z.output<typeof workLogSchema>

const counted = z.number()

export const hoursSchema = z.object({
  isComplete: z.boolean(),
  hours: z.array(
    z.object({
      start: z.string(),
      waiting: counted,
      processing: counted,
      success: counted,
      error: counted,
      imports: counted,
      exports: counted,
      runs: counted,
      rowsLoaded: counted,
      bytesRead: counted,
    }),
  ),
})

export type Hours = z.output<typeof hoursSchema>

export const profileSchema = z.object({
  rowsCount: z.number(),
  profiledRowsCount: z.number(),
  isSample: z.boolean(),
  columnsCount: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      distinctCount: z.number(),
      emptyCount: z.number(),
      min: text,
      max: text,
      topValues: z.array(z.object({ value: z.string(), count: z.number() })),
    }),
  ),
})

export const snapshotSchema = z.object({
  id: z.string(),
  createdTime: z.string(),
  description: text,
  rowsCount: z.number().nullish(),
  creatorToken: z.object({ description: text }).partial().optional(),
})

export type Snapshot = z.output<typeof snapshotSchema>

export const scheduleSchema = z.object({
  expression: z.string().nullable(),
  timezone: z.string().nullable(),
  isActive: z.boolean(),
  nextTimes: z.array(z.string()),
})

export type Schedule = z.output<typeof scheduleSchema>

export const plansSchema = z.array(
  z.object({
    rowId: z.string().nullable(),
    name: z.string(),
    plan: z.string().nullable(),
    error: z.object({ message: z.string() }).nullable(),
  }),
)

export type Plans = z.output<typeof plansSchema>

export type DeadLetter = z.output<typeof deadLetterSchema>

export const versionContentSchema = versionSchema.extend({ configuration: z.unknown() })

/** Replies that no page looks into. */
export const anything = z.unknown()
