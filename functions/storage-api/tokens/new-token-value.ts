import { randomBytes } from 'node:crypto'

/** 192 random bits: nobody can guess them, so a plain digest may be stored. */
const SECRET_BYTES = 24

/** `projectId-tokenId-secret` (docs/reference/storage-api.md#tokens-and-rights). */
export const newTokenValue = (projectId: number, tokenId: number): string =>
  `${projectId}-${tokenId}-${randomBytes(SECRET_BYTES).toString('hex')}`
