import type { FileRecord } from '../../lib/storage/files/file-store.ts'

/** `write`: also by multipart; clients set the (private) ACL, which is a right of its own. */
const objectActions = {
  read: ['s3:GetObject'],
  write: [
    's3:GetObject',
    's3:PutObject',
    's3:PutObjectAcl',
    's3:AbortMultipartUpload',
    's3:ListMultipartUploadParts',
  ],
}

export type FileRight = keyof typeof objectActions

/**
 * Narrows a role's session to one file: its object, or all objects below its key and their listing when it is sliced.
 * What the role itself may not do, the session may not do either.
 */
export const sessionPolicy = (
  bucket: string,
  { key, isSliced }: Pick<FileRecord, 'key' | 'isSliced'>,
  access: FileRight,
) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: objectActions[access],
      Resource: `arn:aws:s3:::${bucket}/${key}${isSliced ? '*' : ''}`,
    },
    ...(isSliced
      ? [
          {
            Effect: 'Allow',
            Action: ['s3:ListBucket'],
            Resource: `arn:aws:s3:::${bucket}`,
            Condition: { StringLike: { 's3:prefix': `${key}*` } },
          },
        ]
      : []),
  ],
})
