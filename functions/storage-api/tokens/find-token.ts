import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import type { Services } from '../services.ts'

/** The token of a path, or 404 `storage.tokens.notFound`. Never the master token. */
export const findToken = async (
  { tokens }: Pick<Services, 'tokens'>,
  tokenId: string,
): Promise<TokenRecord> => {
  const id = parseId(tokenId)
  if (id === undefined)
    throw new UserError('storage.tokens.notFound', `Token "${tokenId.slice(0, 50)}": resource not found`)
  const token = await tokens.get(id)
  if (!token) throw tokenNotFound(tokenId)
  return token
}

export const tokenNotFound = (tokenId: string): UserError =>
  new UserError('storage.tokens.notFound', `Token ${tokenId.slice(0, 20)} not found`)
