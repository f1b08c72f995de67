import { z } from 'zod'
import { exportedFileTypes } from '../../table-engine/files/exported-file-types.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import { definitionChange } from '../tables/change-definition.ts'
import { rowConditions, rowSelection } from '../tables/row-selection.ts'
import { columnDefinition, tableDefinition } from '../tables/table-definition.ts'
import { workspaceOwner } from '../workspaces/workspace-store.ts'

/** CSV settings, as the caller of an import gave them. */
const csvOptions = z.object({
  delimiter: z.string(),
  enclosure: z.string(),
  escapedBy: z.string(),
  columns: z.array(z.string()).optional(),
  withoutHeaders: z.boolean().optional(),
  ignoredLinesCount: z.number().optional(),
  treatValuesAsNull: z.array(z.string()).optional(),
  types: z.enum(['text', 'detect']).optional(),
  textColumns: z.array(z.string()).optional(),
  missingColumns: z.enum(['empty', 'emptyByKey']).optional(),
})

export type CsvOptions = z.infer<typeof csvOptions>

/** The operation of a job and its parameters. */
const jobInput = z.discriminatedUnion('operationName', [
  z.object({
    operationName: z.literal('tableCreate'),
    bucketId: z.string(),
    name: z.string(),
    displayName: z.string(),
    /** The source of the new table. A copy has the key of the table that it is copied from. */
    source: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('file'),
        fileId: z.number(),
        csv: csvOptions,
        primaryKey: z.array(z.string()),
      }),
      z.object({ type: z.literal('snapshot'), snapshotId: z.number() }),
      /** Copies the table as of this time (ISO 8601). */
      z.object({ type: z.literal('table'), tableId: z.string(), at: z.string() }),
    ]),
  }),
  z.object({
    operationName: z.literal('tableDefinitionCreate'),
    bucketId: z.string(),
    name: z.string(),
    displayName: z.string(),
    definition: tableDefinition,
    /** False: no column has a type. */
    isTyped: z.boolean(),
  }),
  z.object({ operationName: z.literal('tableUpdate'), tableId: z.string(), displayName: z.string() }),
  z.object({
    operationName: z.literal('tableColumnAdd'),
    tableId: z.string(),
    name: z.string(),
    /** As the caller wrote it, when that is no valid name. */
    requestedName: z.string().optional(),
    definition: columnDefinition.optional(),
  }),
  z.object({
    operationName: z.literal('tableColumnDefinitionUpdate'),
    tableId: z.string(),
    name: z.string(),
    change: definitionChange,
  }),
  z.object({
    operationName: z.literal('tableDefinitionUpdate'),
    tableId: z.string(),
    displayName: z.string().optional(),
    /** Empty: none from now on, here and below. */
    description: z.string().optional(),
    columns: z.array(
      z.object({ name: z.string(), change: definitionChange, description: z.string().optional() }),
    ),
  }),
  z.object({
    operationName: z.literal('tableColumnDelete'),
    tableId: z.string(),
    name: z.string(),
    /** Also where aliases show it. */
    force: z.boolean(),
  }),
  z.object({
    operationName: z.literal('tablePrimaryKeyAdd'),
    tableId: z.string(),
    columns: z.array(z.string()),
  }),
  z.object({ operationName: z.literal('tablePrimaryKeyDelete'), tableId: z.string() }),
  z.object({
    operationName: z.literal('tableRowsDelete'),
    tableId: z.string(),
    conditions: rowConditions,
    erase: z.boolean().optional(),
  }),
  z.object({
    operationName: z.literal('tableSnapshotCreate'),
    tableId: z.string(),
    description: z.string(),
  }),
  z.object({ operationName: z.literal('tableSnapshotDelete'), snapshotId: z.number() }),
  z.object({
    operationName: z.literal('tableImport'),
    tableId: z.string(),
    fileId: z.number(),
    csv: csvOptions,
    incremental: z.boolean(),
    /** The key that the caller expects the table to have. */
    primaryKey: z.array(z.string()).optional(),
    /** What a table is called that is not there yet: it is created (`ifExists=load`). Default: none is. */
    creates: z.object({ displayName: z.string() }).optional(),
  }),
  z.object({
    operationName: z.literal('tableExport'),
    tableId: z.string(),
    selection: rowSelection,
    fileType: z.enum(exportedFileTypes),
    gzip: z.boolean(),
    /** Adds the time of each row's last change, in this time zone. */
    timestampZone: z.string().optional(),
    /** The branch that asked for it and gets the file, unless it reads the files of the job's own branch. */
    fileBranchId: z.number().optional(),
  }),
  z.object({
    operationName: z.literal('tableDrop'),
    tableId: z.string(),
    /** With all its aliases. */
    force: z.boolean(),
  }),
  /** Into the branch of the job, from the default branch. */
  z.object({ operationName: z.literal('tablePull'), tableId: z.string() }),
  z.object({ operationName: z.literal('tableSwap'), tableId: z.string(), targetTableId: z.string() }),
  z.object({ operationName: z.literal('tableRestore'), tableId: z.string(), snapshotId: z.number() }),
  z.object({ operationName: z.literal('bucketDelete'), bucketId: z.string(), force: z.boolean() }),
  z.object({
    operationName: z.literal('bucketUpdate'),
    bucketId: z.string(),
    displayName: z.string().optional(),
    color: z.string().nullable().optional(),
  }),
  z.object({
    operationName: z.literal('configurationRun'),
    componentId: z.string(),
    configId: z.string(),
    /** Tokens beyond whose rights the run must not go, beside the one that asked: those that stored a trigger, say. */
    tokenIds: z.array(z.string()).optional(),
    /** What asked for the run, as people see it. Default: the job. */
    trigger: z.string().optional(),
  }),
  z.object({ operationName: z.literal('fileDelete'), fileId: z.number() }),
  z.object({
    operationName: z.literal('devBranchCreate'),
    name: z.string(),
    description: z.string(),
  }),
  z.object({
    operationName: z.literal('devBranchDelete'),
    branchId: z.number(),
    /** For its event: the branch is gone by then. */
    name: z.string(),
  }),
  z.object({ operationName: z.literal('workspaceCreate'), configuration: workspaceOwner }),
  z.object({ operationName: z.literal('workspaceDelete'), workspaceId: z.number() }),
])

export type JobInput = z.infer<typeof jobInput>
export type InputOf<Name extends JobInput['operationName']> = Extract<JobInput, { operationName: Name }>

export const jobMetrics = z.object({
  inCompressed: z.boolean(),
  inBytes: z.number(),
  inBytesUncompressed: z.number(),
  outCompressed: z.boolean(),
  outBytes: z.number(),
  outBytesUncompressed: z.number(),
})

export type JobMetrics = z.infer<typeof jobMetrics>

export const jobResults = z.record(z.string(), z.unknown()).nullable()

export const jobError = z.object({
  code: z.string(),
  message: z.string(),
  exceptionId: z.string(),
  contextParams: z.record(z.string(), z.unknown()),
})

export type JobError = z.infer<typeof jobError>

/** What a job has in each state. */
export const acceptedJob = z.object({
  id: z.number(),
  input: jobInput,
  /** The table whose queue the job is in. `null`: the job need not wait for others. */
  queueTableId: z.string().nullable(),
  /** `tableId` of the job resource. Stays null for a job that creates its table. */
  tableId: z.string().nullable(),
  operationParams: z.record(z.string(), z.unknown()),
  /** Of the table `tableId` when the job was accepted: another one of that name is not meant. Absent: whichever has the name. */
  incarnation: z.number().optional(),
  /** The branch that it runs in. Absent: the default branch. */
  branchId: z.number().optional(),
  createdTime: z.string(),
  runId: z.string().nullable(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  /** False: what the token may do is looked at again when the job runs. Absent: the service itself asked for it. */
  isByMaster: z.boolean().optional(),
  /** Address of the service as the caller reached it. Addresses in the results begin with it. */
  baseUrl: z.string(),
  /** What the request had that nobody reads. Absent: nothing. */
  warnings: z.array(z.string()).optional(),
  /** Who asked for its end. */
  cancelledBy: z.string().optional(),
})

/**
 * What a job will end with: its work is visible, and nobody can cancel or fail it any more. `rest` is done before its end: of the table with
 * this internal id; `together`: the ends of those taken along, in this object.
 */
const decidedWork = z.object({
  results: jobResults,
  metrics: jobMetrics,
  rest: z.object({ internalId: z.number().optional(), together: z.string().optional() }),
})

export type DecidedWork = z.infer<typeof decidedWork>

/** A job in one of its four states. Each state has only its own fields. */
export const jobRecord = z.discriminatedUnion('status', [
  acceptedJob.extend({ status: z.literal('waiting') }),
  acceptedJob.extend({
    status: z.literal('processing'),
    startTime: z.string(),
    decided: decidedWork.optional(),
    /** Rows that it has read, as of that time; a run says more. Absent: it has not said so. */
    progress: z.looseObject({ rows: z.number(), at: z.string() }).optional(),
    /** A run whose rows are accepted, and whose state is not saved: stopped now, it would bring them again. */
    isLoading: z.boolean().optional(),
  }),
  acceptedJob.extend({
    status: z.literal('success'),
    startTime: z.string(),
    endTime: z.string(),
    results: jobResults,
    metrics: jobMetrics,
  }),
  acceptedJob.extend({
    status: z.literal('error'),
    startTime: z.string().nullable(),
    endTime: z.string(),
    results: jobResults,
    error: jobError,
  }),
])

export type JobRecord = z.infer<typeof jobRecord>
export type WaitingJob = Extract<JobRecord, { status: 'waiting' }>
export type ProcessingJob = Extract<JobRecord, { status: 'processing' }>
/** One whose work is visible and whose end is not told yet. */
export type DecidedJob = ProcessingJob & { decided: DecidedWork }
export type FinalJob = Extract<JobRecord, { status: 'success' | 'error' }>

export const branchOf = ({ branchId = defaultBranchId }: Pick<JobRecord, 'branchId'>): number => branchId

export const isFinal = (job: JobRecord): job is FinalJob => job.status === 'success' || job.status === 'error'

export const isDecided = (job: JobRecord): job is DecidedJob =>
  job.status === 'processing' && job.decided !== undefined

export const noMetrics: JobMetrics = {
  inCompressed: false,
  inBytes: 0,
  inBytesUncompressed: 0,
  outCompressed: false,
  outBytes: 0,
  outBytesUncompressed: 0,
}
