import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { TransientError } from '../lib/errors/errors.ts'
import { type KeyState, keyState } from './key-state.ts'
import { type Progress, progressItem } from './progress.ts'

/** The right to import one key, held by one execution at a time. */
export interface Lease {
  owner: string
  /** Identity of the object version that the execution is about. */
  versionId: string
}

export type LeaseResult = { outcome: 'taken'; state: KeyState } | { outcome: 'held'; by: Lease }

/** The records of the import hook: each change is one conditional write to one item. */
export interface ImportRecords {
  /** Takes the lease of a key, finds it its own, takes it from an execution that has ended, or says who holds it. */
  takeLease(keyId: string, lease: Lease): Promise<LeaseResult>
  /** Throws `TransientError` when the lease is another's by now. */
  saveState(keyId: string, owner: string, state: KeyState): Promise<void>
  /** Saves the state and gives the lease back; harmless when it is not ours. */
  releaseLease(keyId: string, owner: string, state: KeyState): Promise<void>
  progress(versionId: string): Promise<Progress>
  /** Resolves to the progress with its new revision. Throws `TransientError` when somebody else wrote meanwhile. */
  saveProgress(versionId: string, progress: Progress): Promise<Progress>
}

interface ImportRecordsOptions {
  dynamo: DynamoDBDocumentClient
  tableName: string
  /** Whether an execution is still under way: one that was stopped gives nothing back. */
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
  // The names of items and attributes are those of version 0.1.
  const leaseKey = (keyId: string) => ({ id: `turn#${keyId}` })
  const progressKey = (versionId: string) => ({ id: `version#${versionId}` })

  const tryToTake = async (keyId: string, { owner, versionId }: Lease, from: string) => {
    const { Attributes } = await dynamo.send(
      new UpdateCommand({
        TableName: tableName,
        Key: leaseKey(keyId),
        UpdateExpression: 'SET turnOwner = :owner, versionId = :version, turnTakenAt = :now',
        ConditionExpression: 'attribute_not_exists(turnOwner) OR turnOwner IN (:owner, :from)',
        ExpressionAttributeValues: {
          ':owner': owner,
          ':from': from,
          ':version': versionId,
          ':now': nowSeconds(),
        },
        ReturnValues: 'ALL_NEW',
      }),
    )
    return readState(Attributes)
  }

  const holder = async (keyId: string): Promise<Lease> => {
    const { Item } = await dynamo.send(
      new GetCommand({ TableName: tableName, Key: leaseKey(keyId), ConsistentRead: true }),
    )
    // Empty when it was given back between the two calls: whoever asks again in a moment gets it.
    return { owner: Item?.['turnOwner'] ?? '', versionId: Item?.['versionId'] ?? '' }
  }

  const update = (keyId: string, owner: string, state: KeyState, remove: string) => {
    const { lastSequencer: _, ...importState } = state
    return dynamo.send(
      new UpdateCommand({
        TableName: tableName,
        Key: leaseKey(keyId),
        UpdateExpression: `SET importState = :state ${remove}`,
        ConditionExpression: 'turnOwner = :owner',
        ExpressionAttributeValues: { ':owner': owner, ':state': importState },
      }),
    )
  }

  return {
    takeLease: async (keyId, lease) => {
      let from = lease.owner
      for (;;) {
        try {
          return { outcome: 'taken', state: await tryToTake(keyId, lease, from) }
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error
        }
        const by = await holder(keyId)
        if (by.owner === '' || by.owner === from || (await isRunning(by.owner)))
          return { outcome: 'held', by }
        from = by.owner
      }
    },

    saveState: async (keyId, owner, state) => {
      await update(keyId, owner, state, '').catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        throw leaseLost(error)
      })
    },

    releaseLease: async (keyId, owner, state) => {
      await update(keyId, owner, state, 'REMOVE turnOwner, versionId, turnTakenAt').catch(
        (error: unknown) => {
          if (!(error instanceof ConditionalCheckFailedException)) throw error
        },
      )
    },

    progress: async versionId => {
      const { Item } = await dynamo.send(
        new GetCommand({ TableName: tableName, Key: progressKey(versionId), ConsistentRead: true }),
      )
      return progressItem.parse(Item ?? {})
    },

    // An execution that was stopped may have a function that still works, beside that of the lease's next holder. The
    // one that writes second finds another revision and goes no further.
    saveProgress: async (versionId, progress) => {
      const { revision } = progress
      const saved = { ...progress, revision: revision + 1 }
      const isFirst = revision === 0
      try {
        await dynamo.send(
          new PutCommand({
            TableName: tableName,
            Item: {
              ...progressKey(versionId),
              ...saved,
              expiresAt: nowSeconds() + PROGRESS_EXPIRES_SECONDS,
            },
            ConditionExpression: isFirst ? 'attribute_not_exists(revision)' : 'revision = :revision',
            ...(isFirst ? {} : { ExpressionAttributeValues: { ':revision': revision } }),
          }),
        )
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        throw leaseLost(error)
      }
      return saved
    },
  }
}

const readState = (item: Record<string, unknown> = {}): KeyState =>
  keyState.parse({ ...Object(item['importState'] ?? {}), lastSequencer: item['lastSequencer'] })

const leaseLost = (cause: unknown): TransientError =>
  new TransientError('landing.leaseLost', 'Another execution works on this object by now.', { cause })
