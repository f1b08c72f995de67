import * as z from 'zod/mini'
import type { DocumentRequests } from '../lib/aws/document-requests.ts'
import { isConditionFailure } from '../lib/aws/dynamodb-request.ts'
import type { LeaseStore } from '../lib/aws/lease.ts'
import { TransientError } from '../lib/errors/errors.ts'
import { type KeyState, keyState } from './key-state.ts'

/** The right to import one key, held by one execution at a time. */
export interface KeyLease {
  owner: string
  /** Identity of the object version that the execution is about. */
  versionId: string
}

/** The lease of a key and the state of its imports, in one item: nobody but the holder writes the state. */
export interface KeyLeaseStore extends LeaseStore<KeyLease, KeyState> {
  /** Throws `TransientError` when another execution has taken the lease. */
  save(owner: string, state: KeyState): Promise<void>
  /** Saves the state and releases the lease. Does nothing when the lease is another's. */
  saveAndRelease(owner: string, state: KeyState): Promise<void>
}

interface KeyLeaseOptions {
  dynamo: DocumentRequests
  tableName: string
  keyId: string
  now: () => Date
}

const stored = { prefix: 'lease#', owner: 'leaseOwner', takenAt: 'leaseTakenAt' } as const

const leaseItem = z.object({
  [stored.owner]: z.optional(z.string()),
  versionId: z._default(z.string(), ''),
})

export const createKeyLeaseStore = ({ dynamo, tableName, keyId, now }: KeyLeaseOptions): KeyLeaseStore => {
  const item = { TableName: tableName, Key: { id: `${stored.prefix}${keyId}` } }
  const RELEASE = `REMOVE ${stored.owner}, versionId, ${stored.takenAt}`

  const update = (expression: string, owner: string, values: Record<string, unknown> = {}) =>
    dynamo.update({
      ...item,
      UpdateExpression: expression,
      ConditionExpression: `${stored.owner} = :owner`,
      ExpressionAttributeValues: { ':owner': owner, ...values },
    })

  return {
    holder: async () => {
      const found = leaseItem.parse((await dynamo.get({ ...item, ConsistentRead: true })) ?? {})
      const owner = found[stored.owner]
      return owner === undefined ? undefined : { owner, versionId: found.versionId }
    },

    take: async ({ owner, versionId }, from = owner) => {
      const write = dynamo.update({
        ...item,
        UpdateExpression: `SET ${stored.owner} = :owner, versionId = :version, ${stored.takenAt} = :now`,
        ConditionExpression: `attribute_not_exists(${stored.owner}) OR ${stored.owner} IN (:owner, :from)`,
        ExpressionAttributeValues: {
          ':owner': owner,
          ':from': from,
          ':version': versionId,
          ':now': Math.floor(now().getTime() / 1000),
        },
        ReturnValues: 'ALL_NEW',
      })
      const taken = await write.catch(noneIfRefused)
      return taken && { content: readState(taken) }
    },

    release: async owner => {
      await update(RELEASE, owner).catch(noneIfRefused)
    },

    save: async (owner, state) => {
      await update('SET importState = :state', owner, { ':state': state }).catch((error: unknown) => {
        noneIfRefused(error)
        throw leaseLost(error)
      })
    },

    saveAndRelease: async (owner, state) => {
      const values = { ':state': state }
      await update(`SET importState = :state ${RELEASE}`, owner, values).catch(noneIfRefused)
    },
  }
}

const readState = (item: Record<string, unknown>): KeyState => keyState.parse(item['importState'] ?? {})

const noneIfRefused = (error: unknown): undefined => {
  if (!isConditionFailure(error)) throw error
}

export const leaseLost = (cause: unknown): TransientError =>
  new TransientError('landing.leaseLost', 'Another execution has taken this object over.', { cause })

/** The state of a key whose lease we hold. A change is kept in memory until it is saved. */
export interface HeldKey {
  readonly state: KeyState
  change(changes: Partial<KeyState>): void
  /** Throws `TransientError` when another execution has taken the lease. */
  save(): Promise<void>
  /** Saves the state and releases the lease. */
  release(): Promise<void>
}

export const holdKey = (
  lease: KeyLeaseStore,
  { owner, state }: { owner: string; state: KeyState },
): HeldKey => {
  let current = state
  return {
    get state() {
      return current
    },
    change: changes => {
      current = { ...current, ...changes }
    },
    save: () => lease.save(owner, current),
    release: () => lease.saveAndRelease(owner, current),
  }
}
