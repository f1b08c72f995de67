import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IBucket } from 'aws-cdk-lib/aws-s3'

/** Exactly these actions on exactly these resources. CDK's own grants come with `s3:GetObject*` and the like. */
export const allow = (grantee: IGrantable, actions: string[], resources: string[]): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources }))
}

export const allowItems = (grantee: IGrantable, table: ITable, actions: string[]): void =>
  allow(
    grantee,
    actions.map(action => `dynamodb:${action}`),
    [table.tableArn],
  )

export const allowReadingObjects = (
  grantee: IGrantable,
  bucket: IBucket,
  { versions = false } = {},
): void => {
  const actions = versions ? ['s3:GetObject', 's3:GetObjectVersion'] : ['s3:GetObject']
  allow(grantee, actions, [bucket.arnForObjects('*')])
  // Without it S3 answers 403 instead of 404 for an object that is not there.
  allow(grantee, ['s3:ListBucket'], [bucket.bucketArn])
}

/** Listing the versions of a key in the order in which they were stored. */
export const allowListingVersions = (grantee: IGrantable, bucket: IBucket): void =>
  allow(grantee, ['s3:ListBucketVersions'], [bucket.bucketArn])

/** Includes multipart uploads. Default prefix: any key. */
export const allowWritingObjects = (grantee: IGrantable, bucket: IBucket, { prefix = '' } = {}): void =>
  allow(grantee, ['s3:PutObject', 's3:AbortMultipartUpload'], [bucket.arnForObjects(`${prefix}*`)])

export const allowDeletingObjects = (grantee: IGrantable, bucket: IBucket): void =>
  allow(grantee, ['s3:DeleteObject'], [bucket.arnForObjects('*')])
