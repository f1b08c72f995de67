import { type BucketName, buckets, type MachineName } from '../../infra/system.ts'
import { accountId, arn } from '../s3/account.ts'

/** Of the stack in an account, and of this one. */
export const STACK_NAME = 'Millrace'

/** What clients see of buckets, as in the documents. */
const bucketNames: Readonly<Record<BucketName, string>> = {
  landing: 'millrace-import-landing',
  exports: 'millrace-export-exports',
  work: 'millrace-extract-work',
  files: 'millrace-storage-files',
  tables: 'millrace-storage-tables',
}

export const allBuckets = Object.keys(buckets) as BucketName[] // Of an object that has no other keys.

export const bucketName = (name: BucketName): string => bucketNames[name]

export const machineArn = (name: MachineName): string => arn('states', `stateMachine:${STACK_NAME}-${name}`)

const roleArn = (name: string): string => `arn:aws:iam::${accountId}:role/${name}`

/** Each function has a role of its own. */
export const roleOfFunction = (name: string): string => roleArn(name)

/** Roles whose sessions the API gives away, each narrowed by a policy. */
export const accessRoles = { files: roleArn('file-access'), tables: roleArn('table-access') }

export const itemTables = { storage: `${STACK_NAME}-Items`, imports: `${STACK_NAME}-Imports` }

export const tokenSecretArn = arn('secretsmanager', `secret:${STACK_NAME}-token`)

export const secretsKeyArn = arn('kms', 'key/00000000-0000-4000-8000-000000000000')
