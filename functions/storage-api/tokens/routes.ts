import type { Route } from '../http/route.ts'
import { createToken, deleteToken, refreshToken, shareToken, updateToken } from './change-token.ts'
import { getToken, listTokens, verifyToken } from './read-tokens.ts'

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
