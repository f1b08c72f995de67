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

/** How and where the stack is deployed. What it does is in `stack-config.ts`. */
export const deploymentFields = {
  /** Several stacks side by side in one account: this is part of the stack's name. Default: none. */
  environment: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, 'lower-case letters, digits and dashes, at most 20')
    .optional(),
  /** What differs in an environment, by its name. When there are any, only these can be deployed. */
  environments: z.preprocess(fromText, z.record(z.string(), z.record(z.string(), z.unknown()))).default({}),
  /** Whether data stays when the stack is deleted. */
  removalPolicy: z.enum(['retain', 'destroy']).default('retain'),
  /** Customer's KMS key for buckets, items and the token. Default: keys of AWS. */
  dataKeyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'not the ARN of a KMS key')
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
}

interface Given {
  readonly storageUrl?: string | undefined
  readonly storageTokenSecret?: string | undefined
  readonly apiDomainName?: string | undefined
  readonly apiCertificateArn?: string | undefined
}

/** Everything; or the functions around a storage service elsewhere. */
export const shapeOf = ({ storageUrl }: Pick<Given, 'storageUrl'>): 'all' | 'functions' =>
  storageUrl === undefined ? 'all' : 'functions'

/** Values that are right by themselves and wrong together. */
export const refuseContradictions = (given: Given, context: z.RefinementCtx): void => {
  const wrong = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message, input: given })
  if (given.storageUrl && !given.storageTokenSecret) wrong('storageTokenSecret', 'required with storageUrl')
  if ((given.apiDomainName === undefined) !== (given.apiCertificateArn === undefined))
    wrong('apiDomainName', 'the name and apiCertificateArn are given together')
}

/** What has no meaning beside a storage service elsewhere. */
const ofOurService = ['snapshotRetentionDays', 'tableVersionDays', 'apiDomainName', 'apiCertificateArn']

/** Names that were given a value and change nothing. Several environments may share values, so this is no error. */
export const withoutEffect = (given: Readonly<Record<string, unknown>>): string[] =>
  given['storageUrl'] === undefined ? [] : ofOurService.filter(name => given[name] !== undefined)
