import { randomBytes } from 'node:crypto'

/** 192 bits of chance: more than anyone guesses, so that a plain digest of it may be stored. */
const SECRET_BYTES = 24

/** `projectId-tokenId-secret` (docs/reference/storage-api.md#tokens-and-rights). */
export const newTokenValue = (projectId: number, tokenId: number): string =>
  `${projectId}-${tokenId}-${randomBytes(SECRET_BYTES).toString('hex')}`
