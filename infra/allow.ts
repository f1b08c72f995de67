import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { type Conditions, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'

/** Exactly these actions on exactly these resources. CDK's own grants come with `s3:GetObject*` and the like. */
export const allow = (
  grantee: IGrantable,
  actions: string[],
  resources: string[],
  conditions?: Conditions,
): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions, resources, ...(conditions && { conditions }) }),
  )
}

const WRITING_ITEM_ACTIONS: readonly string[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']

/** All that the stores of the service do. */
export const ITEM_ACTIONS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'ConditionCheckItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
]

/** @param writtenKinds the partition keys of items that may be written, where they are not all */
export const allowItems = (
  grantee: IGrantable,
  table: ITable,
  actions: string[],
  writtenKinds: readonly string[] = ['*'],
): void => {
  const isWriting = (action: string) => WRITING_ITEM_ACTIONS.includes(action)
  const isBounded = !writtenKinds.includes('*')
  const allowOn = (wanted: string[], conditions?: Conditions) =>
    allow(
      grantee,
      wanted.map(action => `dynamodb:${action}`),
      [table.tableArn],
      conditions,
    )
  allowOn(isBounded ? actions.filter(action => !isWriting(action)) : actions)
  if (isBounded)
    allowOn(actions.filter(isWriting), {
      // DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control".
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': writtenKinds },
    })
  allowKey(grantee, table.encryptionKey, ITEM_KEY_ACTIONS)
}

export const allowReadingObjects = (
  grantee: IGrantable,
  bucket: IBucket,
  { versions = false } = {},
): void => {
  const actions = versions ? ['s3:GetObject', 's3:GetObjectVersion'] : ['s3:GetObject']
  allow(grantee, actions, [bucket.arnForObjects('*')])
  allowKey(grantee, bucket.encryptionKey, READING_KEY_ACTIONS)
  // Without it S3 answers 403 instead of 404 for an object that is not there.
  allow(grantee, ['s3:ListBucket'], [bucket.bucketArn])
}

/** Listing the versions of a key in the order in which they were stored. */
export const allowListingVersions = (grantee: IGrantable, bucket: IBucket): void =>
  allow(grantee, ['s3:ListBucketVersions'], [bucket.bucketArn])

/** In one request each. Default prefix: any key. */
export const allowPuttingObjects = (grantee: IGrantable, bucket: IBucket, { prefix = '' } = {}): void => {
  allow(grantee, ['s3:PutObject'], [bucket.arnForObjects(`${prefix}*`)])
  allowKeyForWriting(grantee, bucket)
}

/** What writing needs besides its right on the objects. */
export const allowKeyForWriting = (grantee: IGrantable, bucket: IBucket): void =>
  allowKey(grantee, bucket.encryptionKey, WRITING_KEY_ACTIONS)

/** By multipart uploads, too. Default prefix: any key. */
export const allowWritingObjects = (grantee: IGrantable, bucket: IBucket, { prefix = '' } = {}): void => {
  allowPuttingObjects(grantee, bucket, { prefix })
  allow(grantee, ['s3:AbortMultipartUpload'], [bucket.arnForObjects(`${prefix}*`)])
}

/** Default prefix: any key. */
export const allowDeletingObjects = (grantee: IGrantable, bucket: IBucket, { prefix = '' } = {}): void =>
  allow(grantee, ['s3:DeleteObject'], [bucket.arnForObjects(`${prefix}*`)])

/** CDK's own grant describes the secret, too, and would leave the key to the key's policy, which is not ours to change. */
export const allowReadingSecret = (grantee: IGrantable, secret: ISecret): void => {
  allow(grantee, ['secretsmanager:GetSecretValue'], [secret.secretArn])
  allowKey(grantee, secret.encryptionKey, READING_KEY_ACTIONS)
}

const READING_KEY_ACTIONS = ['kms:Decrypt']
/** S3 User Guide, "Uploading a large file ... with AWS KMS": the parts are read when an upload is completed. */
const WRITING_KEY_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey']
/** DynamoDB Developer Guide, "Authorizing use of your customer managed key". */
const ITEM_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
]

/** The customer's key, where data is under one. Its own policy must let the account's roles decide. */
const allowKey = (grantee: IGrantable, key: IKey | undefined, actions: string[]): void => {
  if (key !== undefined) allow(grantee, actions, [key.keyArn])
}
