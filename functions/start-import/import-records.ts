import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { z } from 'zod'

/** The right to import one key, held by one execution at a time. */
export interface Turn {
  owner: string
  versionId: string
}

const progressItem = z.object({
  /** Grows when an import that failed is started again, so that its idempotency key is a new one. */
  attempt: z.number().int().default(1),
  fileId: z.number().int().optional(),
  /** Of an object whose move takes several functions. */
  uploadId: z.string().optional(),
  isUploaded: z.boolean().default(false),
  jobId: z.number().int().optional(),
})

/** How far the import of one object version has come: nothing, a file prepared, its upload begun, its bytes there, a job accepted. */
export type Progress = z.infer<typeof progressItem>

export type TurnResult =
  /** Ours; `lastSequencer` is that of the newest version whose import was started. */
  { outcome: 'taken'; lastSequencer: string | undefined } | { outcome: 'held'; by: Turn }

/** The records of the import hook: each change is one conditional write to one item. */
export interface ImportRecords {
  /** Takes the turn of a key, or finds it its own, or says who holds it. */
  takeTurn(keyId: string, turn: Turn): Promise<TurnResult>
  /** Gives the turn back; harmless when it is not ours. `sequencer`: the version whose import was started. */
  endTurn(keyId: string, owner: string, sequencer?: string | undefined): Promise<void>
  progress(versionId: string): Promise<Progress>
  saveProgress(versionId: string, progress: Progress): Promise<void>
}

/** A turn whose execution ended without giving it back (stopped by hand, say) is free after this time. */
export const TURN_EXPIRES_SECONDS = 24 * 60 * 60

/** Records outlive any redelivery by far; without this the table would only grow. */
const PROGRESS_EXPIRES_SECONDS = 400 * 24 * 60 * 60

export const createImportRecords = (
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  now: () => Date = () => new Date(),
): ImportRecords => {
  const nowSeconds = () => Math.floor(now().getTime() / 1000)
  const turnKey = (keyId: string) => ({ id: `turn#${keyId}` })
  const progressKey = (versionId: string) => ({ id: `version#${versionId}` })

  return {
    takeTurn: async (keyId, turn) => {
      const isFree = 'attribute_not_exists(turnOwner)'
      const isMine = 'turnOwner = :owner'
      const isForgotten = 'turnTakenAt < :expired'
      try {
        const { Attributes } = await dynamo.send(
          new UpdateCommand({
            TableName: tableName,
            Key: turnKey(keyId),
            UpdateExpression: 'SET turnOwner = :owner, versionId = :version, turnTakenAt = :now',
            ConditionExpression: `${isFree} OR ${isMine} OR ${isForgotten}`,
            ExpressionAttributeValues: {
              ':owner': turn.owner,
              ':version': turn.versionId,
              ':now': nowSeconds(),
              ':expired': nowSeconds() - TURN_EXPIRES_SECONDS,
            },
            ReturnValues: 'ALL_NEW',
          }),
        )
        return { outcome: 'taken', lastSequencer: Attributes?.['lastSequencer'] }
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        const { Item } = await dynamo.send(
          new GetCommand({ TableName: tableName, Key: turnKey(keyId), ConsistentRead: true }),
        )
        // Given back between the two calls: whoever held it is done, and we ask again in a moment.
        return {
          outcome: 'held',
          by: { owner: Item?.['turnOwner'] ?? '', versionId: Item?.['versionId'] ?? '' },
        }
      }
    },

    endTurn: async (keyId, owner, sequencer) => {
      await dynamo
        .send(
          new UpdateCommand({
            TableName: tableName,
            Key: turnKey(keyId),
            UpdateExpression: `${sequencer === undefined ? '' : 'SET lastSequencer = :sequencer '}REMOVE turnOwner, versionId, turnTakenAt`,
            ConditionExpression: 'turnOwner = :owner',
            ExpressionAttributeValues: {
              ':owner': owner,
              ...(sequencer === undefined ? {} : { ':sequencer': sequencer }),
            },
          }),
        )
        .catch((error: unknown) => {
          if (!(error instanceof ConditionalCheckFailedException)) throw error
        })
    },

    progress: async versionId => {
      const { Item } = await dynamo.send(
        new GetCommand({ TableName: tableName, Key: progressKey(versionId), ConsistentRead: true }),
      )
      return progressItem.parse(Item ?? {})
    },

    saveProgress: async (versionId, progress) => {
      // Only the holder of the key's turn writes, and always the whole item, so no condition is needed.
      await dynamo.send(
        new PutCommand({
          TableName: tableName,
          Item: {
            ...progressKey(versionId),
            ...progress,
            expiresAt: nowSeconds() + PROGRESS_EXPIRES_SECONDS,
          },
        }),
      )
    },
  }
}
