import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { idSortKey } from '../db/ids.ts'
import { type ItemTable, startingWith } from '../db/item-table.ts'

export const bucketPermission = z.enum(['read', 'write', 'manage'])
export type BucketPermission = z.infer<typeof bucketPermission>

const tokenRecord = z.object({
  id: z.number(),
  description: z.string(),
  /** SHA-256 of the whole token. Tokens are random and long, so guessing needs no slow hash to prevent it. */
  digest: z.string(),
  created: z.string(),
  refreshed: z.string(),
  /** ISO 8601; `null`: never. */
  expires: z.string().nullable(),
  canManageBuckets: z.boolean(),
  canReadAllFileUploads: z.boolean(),
  canPurgeTrash: z.boolean(),
  bucketPermissions: z.record(z.string(), bucketPermission),
  /** Components whose configurations it may use. `null` when that was never set. */
  componentAccess: z.array(z.string()).nullable(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  revision: z.number(),
})

export type TokenRecord = z.infer<typeof tokenRecord>

const PARTITION = 'TOKENS'
const MAX_UPDATE_ATTEMPTS = 10

/** All tokens but the master token, which is a secret of the stack. Only digests are stored, never values. */
export const createTokenStore = (items: ItemTable) => {
  const keyOf = (id: number) => ({ pk: PARTITION, sk: idSortKey(id) })

  const get = async (id: number): Promise<TokenRecord | undefined> => {
    const item = await items.get(keyOf(id))
    return item && tokenRecord.parse(item)
  }

  return {
    get,

    /** Resolves to false when the id is taken. */
    insert: (token: TokenRecord): Promise<boolean> => items.put(keyOf(token.id), { ...token }, 'absent'),

    /**
     * Applies a change to the current token. Resolves to the changed token, or to `undefined` when it does not exist.
     */
    async update(id: number, change: (token: TokenRecord) => TokenRecord): Promise<TokenRecord | undefined> {
      for (let attempt = 0; attempt < MAX_UPDATE_ATTEMPTS; attempt++) {
        const token = await get(id)
        if (!token) return undefined
        const changed = { ...change(token), revision: token.revision + 1 }
        if (await items.put(keyOf(id), changed, { revision: token.revision })) return changed
      }
      throw new TransientError('storage.tokens.busy', `The token ${id} is being changed by many requests.`)
    },

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** By creation time. */
    async list(): Promise<TokenRecord[]> {
      const tokens: TokenRecord[] = []
      for await (const item of items.query(PARTITION, startingWith(''))) tokens.push(tokenRecord.parse(item))
      return tokens
    },
  }
}

export type TokenStore = ReturnType<typeof createTokenStore>
