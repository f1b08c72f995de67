/* What both clouds need to know of the system, as data. Rights, environments and alarms stay with their constructs. */

interface FunctionSize {
  /** Processor power grows with it: one core at 1,769. */
  readonly memoryMiB: number
  /** Of `/tmp`. Default 512. */
  readonly scratchMiB?: number
  /** The longest invocation; Lambda's upper bound is fifteen minutes. */
  readonly seconds: number
}

const LONGEST = 15 * 60

/** The functions of the system. */
const functionSizes = {
  /** The gateway gives up after 30 seconds. Previews read Parquet files from disk. */
  'storage-api': { memoryMiB: 1769, scratchMiB: 2048, seconds: 29 },
  /**
   * Close to two cores, as many as DuckDB is given threads. On disk: a slice of Parquet with its text; rows that are being sorted by a
   * key, and what spills of them.
   */
  'run-job': { memoryMiB: 3008, scratchMiB: 10_240, seconds: LONGEST },
  /** It hashes the bytes that it moves. */
  'start-import': { memoryMiB: 1769, seconds: LONGEST },
  'poll-job': { memoryMiB: 256, seconds: 120 },
  /** Rows stay on disk until all columns are known. */
  'run-extractor': { memoryMiB: 1769, scratchMiB: 10_240, seconds: LONGEST },
  /** Before the API's own time is over. */
  'preview-extraction': { memoryMiB: 1769, seconds: 25 },
  tick: { memoryMiB: 512, seconds: 55 },
  /** It hashes the bytes that pass through. */
  'merge-slices': { memoryMiB: 1769, seconds: LONGEST },
  /** The keys of a page: some hundred bytes each. Pages begin in the first half of the time; the next sweep continues. */
  'sweep-storage': { memoryMiB: 1024, seconds: LONGEST },
} satisfies Record<string, FunctionSize>

export type FunctionName = keyof typeof functionSizes

export const functionNames = Object.keys(functionSizes) as FunctionName[] // Of an object that has no other keys.

/** Below `functions/`. The preview is the extractor's, with fewer rights. */
export const folderOf = (name: FunctionName): string =>
  name === 'preview-extraction' ? 'run-extractor/preview' : name

export const sizeOf = (name: FunctionName): FunctionSize => functionSizes[name]

interface Machine {
  /** Takes `stepEvent`, answers with an `Answer` (functions/lib/drive/step.ts). */
  readonly step: FunctionName
  /** Whether a step may wait for a job: then `poll-job` looks at it. */
  readonly polls: boolean
  /** Then the execution times out. */
  readonly longestSeconds: number
  /** It may take more steps than one history has room for. */
  readonly isLong: boolean
}

const DAY = 86_400

/** The state machines, all of one shape (infra/drive.ts). */
export const machines = {
  /** Far more time than any import takes. */
  import: {
    step: 'start-import',
    polls: true,
    longestSeconds: DAY,
    isLong: false,
  },
  /** The largest object takes hours; its parts must last until then. */
  export: {
    step: 'merge-slices',
    polls: true,
    longestSeconds: 2 * DAY,
    isLong: false,
  },
  /** Its waiting for an earlier run of the configuration included. */
  extract: {
    step: 'run-extractor',
    polls: false,
    longestSeconds: 2 * DAY,
    isLong: true,
  },
  /** Jobs of one table wait for each other; the last of a long queue must still be run. */
  jobs: {
    step: 'run-job',
    polls: false,
    longestSeconds: 2 * DAY,
    isLong: false,
  },
} satisfies Record<string, Machine>

export type MachineName = keyof typeof machines

export const machineOf = (name: MachineName): Machine => machines[name]

/** Of a machine, side by side: enough to reach S3's 3,500 writes a second, and few of an account's thousand functions. */
export const PARTS_AT_ONCE = 16

export const EVEN_THAT_FAILED =
  'The step after the failure failed too. The details are what the machine reported first.'

/** What the sessions of a file may do with its objects at most. They may list its bucket, too. */
export const fileActions = [
  's3:GetObject',
  's3:PutObject',
  's3:PutObjectAcl',
  's3:AbortMultipartUpload',
  's3:ListMultipartUploadParts',
]

interface Clock {
  readonly calls: FunctionName
  readonly expression: string
  /** Default: an empty event. `time` in it: the minute that it stands for. */
  readonly input?: Readonly<Record<string, string>>
}

/** Stands for the moment that a schedule is due. */
export const DUE = '<aws.scheduler.scheduled-time>'

/**
 * When functions are called. Sweeps come often enough for files that live two days, one after the other, so that a small account
 * keeps functions free, and so that snapshots go before the objects that only they name.
 */
export const clocks: readonly Clock[] = [
  { calls: 'tick', expression: 'rate(1 minute)', input: { time: DUE } },
  { calls: 'sweep-storage', expression: 'cron(5 0/6 * * ? *)', input: { kind: 'files' } },
  { calls: 'sweep-storage', expression: 'cron(15 0/6 * * ? *)', input: { kind: 'file-objects' } },
  { calls: 'sweep-storage', expression: 'cron(25 0/6 * * ? *)', input: { kind: 'table-snapshots' } },
  { calls: 'sweep-storage', expression: 'cron(40 0/6 * * ? *)', input: { kind: 'table-objects' } },
]

export interface BucketTraits {
  /** Days for which replaced and deleted objects stay as versions. Default 0: they are gone. */
  readonly versionDays?: number
  /** Says what is created in it. Default: it does not. */
  readonly sendsEvents?: boolean
  /** Accepts uploads with an ACL, as clients of the storage API send them (`acl: private`). Default: it does not. */
  readonly acceptsAcls?: boolean
  /** Answers pages of any origin, which still need a signed address for every request. Default: it does not. */
  readonly answersBrowsers?: boolean
}

export const buckets = {
  /** Keeps versions, so that a late event still finds its bytes after the key was overwritten. */
  landing: { versionDays: 30, sendsEvents: true },
  exports: {},
  /** What runs of configurations remember. */
  work: {},
  files: { acceptsAcls: true, answersBrowsers: true },
  /** The stack's `tableVersionDays` says for how long versions stay. */
  tables: {},
} satisfies Record<string, BucketTraits>

export type BucketName = keyof typeof buckets

/** How often what is tried again, when a step or a part of a machine fails (Step Functions, "Retrying after an error"). */
export interface Retry {
  /** Names of errors. */
  readonly errors: readonly string[]
  readonly intervalSeconds: number
  readonly backoffRate: number
  readonly maxAttempts: number
  /** Default: no bound. */
  readonly maxDelaySeconds?: number
  /** Waits any part of the time, so that those that failed together do not come back together. */
  readonly hasJitter?: boolean
}

/**
 * Of every step that calls one of our functions, in both clouds. A `UserError` is not among them: the same input would
 * fail again. Neither is an unknown error: it is a bug, and repeating does not help.
 */
export const retries: readonly Retry[] = [
  {
    // The account, or the function's share of it, runs as many functions as it may: a matter of minutes when much lands at
    // once. Waits of 1, 2, 4 and so on: two hours at most, and one on average, because of the jitter.
    errors: ['Lambda.TooManyRequestsException'],
    intervalSeconds: 1,
    backoffRate: 2,
    maxDelaySeconds: 240,
    maxAttempts: 38,
    hasJitter: true,
  },
  {
    // Our own, and Lambda's. Six minutes at most and three on average: longer than a deployment of the service.
    errors: [
      'TransientError',
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
      'Lambda.ClientExecutionTimeoutException',
    ],
    intervalSeconds: 2,
    backoffRate: 2,
    maxDelaySeconds: 120,
    maxAttempts: 8,
    hasJitter: true,
  },
  {
    // The function died. Every step is idempotent, so it runs again, twice; dying a third time is no accident.
    errors: ['Sandbox.Timedout', 'Runtime.ExitError', 'Lambda.Unknown', 'States.Timeout'],
    intervalSeconds: 5,
    backoffRate: 2,
    maxAttempts: 2,
  },
]
