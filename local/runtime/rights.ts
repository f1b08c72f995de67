import type { Host } from '#lib/cloud/host.ts'
import type { StackConfig } from '../../infra/stack-config.ts'
import { type FunctionName, fileActions } from '../../infra/system.ts'
import type { PolicyDocument } from '../s3/auth/policy-document.ts'
import { accessRoles, bucketName, roleOfFunction } from './names.ts'

/** What a function may do in S3. */
export type RightsOf = (name: FunctionName) => PolicyDocument

/** What a function reaches of its host. */
export type HostFor = (host: Host, name: FunctionName) => Host

/**
 * On one machine functions may do everything: what their roles in an account allow is held by tests, which give the roles of the
 * template in place of these. But where an export goes its asker says, so it goes to buckets of exports alone.
 */
export const rightsOn =
  ({ exportBuckets }: Pick<StackConfig, 'exportBuckets'>): RightsOf =>
  name =>
    name === 'merge-slices'
      ? policy([
          { Action: '*', Resource: [bucketName('exports'), ...exportBuckets].flatMap(wholeBucket) },
          { Action: ['s3:GetObject', 's3:ListBucket'], Resource: wholeBucket(bucketName('files')) },
        ])
      : policy([{ Action: '*', Resource: '*' }])

type Allowed = Omit<PolicyDocument['Statement'][number], 'Effect'>

const policy = (statements: Allowed[]): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: statements.map(statement => ({ Effect: 'Allow', ...statement })),
})

const wholeBucket = (name: string): string[] => [`arn:aws:s3:::${name}`, `arn:aws:s3:::${name}/*`]

/** What sessions of files are narrowed from, as in infra/access-roles.ts. */
export const rightsOnFiles = (bucket: string): PolicyDocument =>
  policy([
    { Action: fileActions, Resource: `arn:aws:s3:::${bucket}/*` },
    { Action: 's3:ListBucket', Resource: `arn:aws:s3:::${bucket}` },
  ])

/** What sessions of tables are narrowed from, as in infra/access-roles.ts. */
export const rightsOnTables = (bucket: string): PolicyDocument =>
  policy([
    { Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/tables/*` },
    { Action: 's3:ListBucket', Resource: `arn:aws:s3:::${bucket}` },
  ])

/** What each role allows, by its ARN. Those that are given away are narrowed for each session. */
export const documentsOfRoles = (
  functions: readonly FunctionName[],
  rightsOf: RightsOf,
): ReadonlyMap<string, PolicyDocument> =>
  new Map([
    ...functions.map((name): [string, PolicyDocument] => [roleOfFunction(name), rightsOf(name)]),
    [accessRoles.files, rightsOnFiles(bucketName('files'))],
    [accessRoles.tables, rightsOnTables(bucketName('tables'))],
  ])
