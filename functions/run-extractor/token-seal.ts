import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals the tokens of runs for the time between their steps. The key is derived from the stack's own token, which only
 * functions may read: who reads the work bucket learns no token of a run.
 */
export const createTokenSeal = (stackToken: string) => {
  const keyOf = (runId: string) =>
    Buffer.from(hkdfSync('sha256', stackToken, runId, 'token of a run', KEY_BYTES))

  return {
    seal(value: string, runId: string): string {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyOf(runId), iv)
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')
    },

    /** Throws when it was sealed for another run, or under another token of the stack. */
    open(sealed: string, runId: string): string {
      const bytes = Buffer.from(sealed, 'base64')
      const textAt = IV_BYTES + TAG_BYTES
      const decipher = createDecipheriv('aes-256-gcm', keyOf(runId), bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      }).setAuthTag(bytes.subarray(IV_BYTES, textAt))
      return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString('utf8')
    },
  }
}

export type TokenSeal = ReturnType<typeof createTokenSeal>
