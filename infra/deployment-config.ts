import { z } from 'zod'

/** Values given with `-c` arrive as text. What is no JSON stays text, so that the error names the field. */
export const fromText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** `all`; `functions`: those around a storage service elsewhere; `storage`: the service without landing, exports, extractions. */
const shapes = ['all', 'functions', 'storage'] as const
type Shape = (typeof shapes)[number]

/** CloudWatch Logs API Reference, "PutRetentionPolicy". */
const retentions: readonly number[] = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]

/** IAM User Guide, "Rules for tagging in IAM and AWS STS": the strictest service decides. */
const tags = z
  .record(
    z
      .string()
      .regex(/^(?!aws:)[\w .:/=+@-]{1,128}$/i, 'a tag is named with letters, digits and _.:/=+@-, not aws:'),
    z.string().regex(/^[\w .:/=+@-]{0,256}$/, 'the value of a tag has letters, digits and _.:/=+@-'),
  )
  .refine(given => Object.keys(given).length <= 40, 'AWS takes 50 tags, some of which are its own')

/** How and where the stack is deployed. What it does is in `stack-config.ts`. */
export const deploymentFields = {
  /** Default: `functions` with `storageUrl`, else `all`. */
  shape: z.enum(shapes).optional(),
  /** Several stacks side by side in one account: this is part of the stack's name. Default: none. */
  environment: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, 'lower-case letters, digits and dashes, at most 20')
    .optional(),
  /** What differs in an environment, by its name. When there are any, only these can be deployed. */
  environments: z.preprocess(fromText, z.record(z.string(), z.record(z.string(), z.unknown()))).default({}),
  /** Whether data stays when the stack is deleted. */
  removalPolicy: z.enum(['retain', 'destroy']).default('retain'),
  /** Days for which logs are kept. The default is long enough to look into an incident of last month. */
  logRetentionDays: z.coerce
    .number()
    .refine(days => retentions.includes(days), `CloudWatch keeps logs for ${retentions.join(', ')} days`)
    .default(90),
  /** Customer's KMS key for buckets, items and the token. Default: keys of AWS. */
  dataKeyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'not the ARN of a KMS key')
    .optional(),
  /** Upper bound of every role of the stack. */
  permissionsBoundaryArn: z
    .string()
    .regex(/^arn:[\w-]+:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/, 'not the ARN of an IAM policy')
    .optional(),
  /**
   * Name of the API instead of the one that AWS makes. `*.example.com`: all names below it, of which clients are given
   * `connection.example.com` and derive `queue.example.com` and so on.
   */
  apiDomainName: z
    .string()
    .regex(/^(?=.{4,253}$)(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/, 'not the name of a host')
    .optional(),
  /** Certificate of that name, in the stack's region. */
  apiCertificateArn: z
    .string()
    .regex(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'not the ARN of an ACM certificate')
    .optional(),
  /** Zone of Route 53 that gets the name. Default: the user points the name at the output `ApiDomainTarget`. */
  apiHostedZoneId: z
    .string()
    .regex(/^Z[A-Z0-9]{5,31}$/, 'not the id of a hosted zone')
    .optional(),
  /** Whether the name that AWS makes answers nothing, so that all go by `apiDomainName` and what stands before it. */
  apiOnlyAtDomain: z.preprocess(fromText, z.boolean()).default(false),
  /** Requests that the API takes in a second on average, and at once. The gateway answers 429 to others. */
  apiRequestsPerSecond: z.coerce.number().int().min(1).max(10_000).default(500),
  apiBurst: z.coerce.number().int().min(1).max(5_000).default(1_000),
  /** Tags of every resource. */
  tags: z.preprocess(fromText, tags).default({}),
  /** Invocations that the account runs at a time (Lambda quotas, "Concurrent executions"). */
  accountConcurrency: z.coerce.number().int().min(10).max(1_000_000).default(1000),
}

interface Given {
  readonly shape?: Shape | undefined
  readonly storageUrl?: string | undefined
  readonly storageTokenSecret?: string | undefined
  readonly apiDomainName?: string | undefined
  readonly apiCertificateArn?: string | undefined
  readonly apiHostedZoneId?: string | undefined
  readonly apiOnlyAtDomain: boolean
}

export const shapeOf = ({ shape, storageUrl }: Pick<Given, 'shape' | 'storageUrl'>): Shape =>
  shape ?? (storageUrl === undefined ? 'all' : 'functions')

/** Values that are right by themselves and wrong together. */
export const refuseContradictions = (given: Given, context: z.RefinementCtx): void => {
  const shape = shapeOf(given)
  const wrong = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message, input: given })
  if (given.storageUrl && !given.storageTokenSecret) wrong('storageTokenSecret', 'required with storageUrl')
  if (shape === 'functions' && !given.storageUrl)
    wrong('storageUrl', 'required with the shape "functions": the storage service that they work for')
  if (shape !== 'functions' && given.storageUrl)
    wrong('storageUrl', `has no place in the shape "${shape}", which has a storage service of its own`)
  if ((given.apiDomainName === undefined) !== (given.apiCertificateArn === undefined))
    wrong('apiDomainName', 'the name and apiCertificateArn are given together')
  if (given.apiHostedZoneId && !given.apiDomainName)
    wrong('apiHostedZoneId', 'without apiDomainName there is no name to be put into the zone')
  if (given.apiOnlyAtDomain && !given.apiDomainName)
    wrong('apiOnlyAtDomain', 'without apiDomainName nobody would reach the API')
}

/** What has no meaning in a shape. */
const unusedIn: Readonly<Record<Shape, readonly string[]>> = {
  all: [],
  functions: [
    'masterTokenOverlapMinutes',
    'snapshotRetentionDays',
    'tableVersionDays',
    'singleLoadBytes',
    'loadRangeBytes',
    'singleMergeBytes',
    'singleExportBytes',
    'exportPartBytes',
    'partsAtOnce',
    'apiDomainName',
    'apiCertificateArn',
    'apiHostedZoneId',
    'apiOnlyAtDomain',
    'apiRequestsPerSecond',
    'apiBurst',
  ],
  storage: [
    'landingRules',
    'landingKeyArns',
    'schedules',
    'scheduledComponents',
    'extractorLegSeconds',
    'exportBuckets',
  ],
}

/** Names that were given a value and change nothing. Several environments may share values, so this is no error. */
export const withoutEffect = (shape: Shape, given: Readonly<Record<string, unknown>>): string[] =>
  unusedIn[shape].filter(name => {
    const value = fromText(given[name])
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  })
