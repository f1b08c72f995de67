import { Duration } from 'aws-cdk-lib'
import { ArnPrincipal, type IRole, Role } from 'aws-cdk-lib/aws-iam'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { allow, allowKeyForWriting } from './allow.ts'
import { fileActions } from './system.ts'

/** A role whose sessions a function gives away, each narrowed by a session policy. */
const accessRole = (scope: Construct, id: string, issuer: IRole, description: string): Role => {
  const role = new Role(scope, id, {
    description,
    assumedBy: new ArnPrincipal(issuer.roleArn),
    maxSessionDuration: Duration.hours(1), // What role chaining allows anyway.
  })
  allow(issuer, ['sts:AssumeRole'], [role.roleArn])
  return role
}

/** The upper bound of a file's temporary credentials; a session policy narrows them to one key or prefix. */
export const fileAccessRole = (scope: Construct, issuer: IRole, files: IBucket): IRole => {
  const description = 'Temporary credentials of one file each, narrowed by a session policy'
  const role = accessRole(scope, 'FileAccess', issuer, description)
  allow(role, fileActions, [files.arnForObjects('*')])
  allow(role, ['s3:ListBucket'], [files.bucketArn])
  allowKeyForWriting(role, files)
  return role
}

/** The upper bound of a table's temporary credentials, for engines that read it; a session policy narrows them to its folders. */
export const tableAccessRole = (scope: Construct, issuer: IRole, tables: IBucket): IRole => {
  const description = 'Temporary credentials to read one table each, narrowed by a session policy'
  const role = accessRole(scope, 'TableAccess', issuer, description)
  allow(role, ['s3:GetObject'], [tables.arnForObjects('tables/*')])
  allow(role, ['s3:ListBucket'], [tables.bucketArn])
  if (tables.encryptionKey) allow(role, ['kms:Decrypt'], [tables.encryptionKey.keyArn])
  return role
}
