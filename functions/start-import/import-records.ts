import type { DocumentRequests } from '../lib/aws/document-requests.ts'
import { isConditionFailure } from '../lib/aws/dynamodb-request.ts'
import { type LeaseResult, takeLease } from '../lib/aws/lease.ts'
import { createKeyLeaseStore, type KeyLease, type KeyLeaseStore, leaseLost } from './key-lease.ts'
import type { KeyState } from './key-state.ts'
import { type Progress, progressItem } from './progress.ts'

/** The records of the import hook: each change is one conditional write to one item. */
export interface ImportRecords {
  /** The lease of a key, and the state under its protection. */
  leaseOf(keyId: string): KeyLeaseStore
  /** Takes the lease of a key, also from an execution that has ended, or says who holds it. */
  takeLease(keyId: string, lease: KeyLease): Promise<LeaseResult<KeyLease, KeyState>>
  progress(versionId: string): Promise<Progress>
  /** Resolves to the progress with its new revision. Throws `TransientError` when somebody else wrote meanwhile. */
  saveProgress(versionId: string, progress: Progress): Promise<Progress>
}

interface ImportRecordsOptions {
  dynamo: DocumentRequests
  tableName: string
  /** Whether an execution is still under way: one that was stopped releases nothing. */
  isRunning: (execution: string) => Promise<boolean>
  now?: () => Date
}

/** Records outlive any redelivery by far; without this the table would only grow. */
export const PROGRESS_EXPIRES_SECONDS = 400 * 24 * 60 * 60

export const createImportRecords = ({
  dynamo,
  tableName,
  isRunning,
  now = () => new Date(),
}: ImportRecordsOptions): ImportRecords => {
  const nowSeconds = () => Math.floor(now().getTime() / 1000)
  const progressKey = (versionId: string) => ({ id: `version#${versionId}` })
  const leaseOf = (keyId: string) => createKeyLeaseStore({ dynamo, tableName, keyId, now })

  return {
    leaseOf,

    takeLease: (keyId, lease) =>
      takeLease(leaseOf(keyId), lease, async execution => !(await isRunning(execution))),

    progress: async versionId => {
      const found = await dynamo.get({
        TableName: tableName,
        Key: progressKey(versionId),
        ConsistentRead: true,
      })
      return progressItem.parse(found ?? {})
    },

    // An execution that was stopped may have a function that still works, beside that of the lease's next holder. The
    // one that writes second finds another revision and goes no further.
    saveProgress: async (versionId, progress) => {
      const { revision } = progress
      const saved = { ...progress, revision: revision + 1 }
      const isFirst = revision === 0
      try {
        await dynamo.put({
          TableName: tableName,
          Item: {
            ...progressKey(versionId),
            ...saved,
            expiresAt: nowSeconds() + PROGRESS_EXPIRES_SECONDS,
          },
          ConditionExpression: isFirst ? 'attribute_not_exists(revision)' : 'revision = :revision',
          ...(isFirst ? {} : { ExpressionAttributeValues: { ':revision': revision } }),
        })
      } catch (error) {
        if (!isConditionFailure(error)) throw error
        throw leaseLost(error)
      }
      return saved
    },
  }
}
