import type { PolicyDocument } from '../../local/s3/auth/policy-document.ts'

export const roleArn = 'arn:aws:iam::000000000000:role/file-access'
export const tableRoleArn = 'arn:aws:iam::000000000000:role/table-access'

/** The rights of the role in the real stack; sessions narrow them. */
const filePolicy = (filesBucket: string): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: [
        's3:GetObject',
        's3:PutObject',
        's3:PutObjectAcl',
        's3:AbortMultipartUpload',
        's3:ListMultipartUploadParts',
      ],
      Resource: `arn:aws:s3:::${filesBucket}/*`,
    },
    { Effect: 'Allow', Action: 's3:ListBucket', Resource: `arn:aws:s3:::${filesBucket}` },
  ],
})

const tablePolicy = (tablesBucket: string): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${tablesBucket}/tables/*` },
    { Effect: 'Allow', Action: 's3:ListBucket', Resource: `arn:aws:s3:::${tablesBucket}` },
  ],
})

/** The roles of the service that narrow sessions are made of. */
export const storageRoles = (filesBucket: string, tablesBucket: string) =>
  new Map([
    [roleArn, filePolicy(filesBucket)],
    [tableRoleArn, tablePolicy(tablesBucket)],
  ])
