import type { Route } from '../http/route.ts'
import { createToken } from './create-token.ts'
import { deleteToken } from './delete-token.ts'
import { getToken } from './get-token.ts'
import { listTokens } from './list-tokens.ts'
import { refreshToken } from './refresh-token.ts'
import { shareToken } from './share-token.ts'
import { updateToken } from './update-token.ts'
import { verifyToken } from './verify-token.ts'

export const tokensRoutes: readonly Route[] = [
  verifyToken,
  listTokens,
  createToken,
  getToken,
  updateToken,
  deleteToken,
  refreshToken,
  shareToken,
]
