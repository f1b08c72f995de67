import type { FileRecord } from '../../lib/storage/files/file-store.ts'

/** `write` includes multipart uploads. Clients set the (private) ACL, which needs a right of its own. */
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
 * Restricts a role's session to one file: its object, or all objects below its key and their listing when it is sliced.
 * It cannot allow what the role itself may not do.
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
