import { NONE } from '#lib/none.ts'
import type { TableFolders } from './table-folders.ts'

// STS API Reference, "AssumeRole": the text of a session policy has at most 2,048 characters.
const MAX_POLICY_CHARACTERS = 2048

/**
 * The policy of a session that reads the objects in these folders, and lists those of the table's own. `undefined` when they
 * are too many for a policy.
 *
 * The objects name no bucket, which doubles the number of folders that fit: the role itself reads one bucket only.
 */
export const sessionPolicy = (
  { partition, bucket, dataKeyArn }: { partition: string; bucket: string; dataKeyArn: string },
  { own, shared }: TableFolders,
): string | undefined => {
  const text = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 's3:GetObject',
        Resource: [own, ...shared].map(folder => `arn:${partition}:s3:::*/${folder}*`),
      },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: `arn:${partition}:s3:::${bucket}`,
        Condition: { StringLike: { 's3:prefix': `${own}*` } },
      },
      ...(dataKeyArn === NONE ? [] : [{ Effect: 'Allow', Action: 'kms:Decrypt', Resource: dataKeyArn }]),
    ],
  })
  return text.length > MAX_POLICY_CHARACTERS ? undefined : text
}

/** The same with whole tables in place of their jobs: `tables/12/345/` is in `tables/12/`. */
export const wholeTables = ({ own, shared }: TableFolders): TableFolders => ({
  own,
  shared: [...new Set(shared.map(folder => folder.replace(/[^/]+\/$/, '')))],
})
