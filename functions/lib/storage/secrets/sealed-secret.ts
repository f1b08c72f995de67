import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { shortDigest } from '../../digests.ts'

/**
 * The owner of a secret. Authenticated with the value: only this configuration and its rows can open it, or without one every
 * configuration of the component.
 */
export interface SecretOwner {
  projectId: number
  componentId: string
  configId: string | undefined
}

/** The token that brings a secret. The sealed value names it. */
export interface SecretAuthor {
  tokenId: string
}

/** KMS takes 8,192 characters of context in all. */
const part = z.string().max(1_000)

/** What a sealed value says about where it was sealed, and by which token. KMS sees it too, for its log and key policy. */
const secretContext = z.strictObject({
  projectId: part,
  componentId: part,
  configurationId: part.optional(),
  tokenId: part.optional(),
})
export type SecretContext = z.infer<typeof secretContext>

export const contextOf = ({
  projectId,
  componentId,
  configId,
  tokenId,
}: SecretOwner & Partial<SecretAuthor>): SecretContext => ({
  projectId: String(projectId),
  componentId,
  ...(configId !== undefined && { configurationId: configId }),
  ...(tokenId !== undefined && { tokenId }),
})

/** Never given out as a secret, since no sealed text has this context. */
export const dataKeyContext = (context: SecretContext) => ({ ...context, for: 'dataKey' })

/** KMS encrypts 4,096 bytes to at most 6,144 (API Reference, "Encrypt" and "Decrypt"). */
const byKms = z.base64().min(1).max(8_192)

/**
 * What a sealed value holds. Its context can be read without a key and not be changed: KMS decrypts in the same context only. `text` is
 * sealed by KMS itself, or under the data key that KMS has sealed.
 */
const sealedValue = z.union([
  z.strictObject({ context: secretContext, text: byKms }),
  z.strictObject({ context: secretContext, dataKey: byKms, text: z.base64().min(1) }),
])
export type SealedValue = z.infer<typeof sealedValue>

/** Prefix of our own sealed values: bound to the project, in the notation that clients know. */
const PREFIX = 'KBC::ProjectSecure::'

/**
 * Whether a text is already sealed, by this service or a similar one. Clients read a configuration, change a part and
 * send all of it back, sealed values included.
 */
export const isSealed = (text: string): boolean => /^KBC::\w+::./.test(text)

export const formatSealed = (value: SealedValue): string =>
  `${PREFIX}${Buffer.from(JSON.stringify(value)).toString('base64')}`

/** What a sealed value holds, or `undefined` when it is not one of ours. */
export const parseSealed = (text: string): SealedValue | undefined => {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    return sealedValue.parse(JSON.parse(Buffer.from(base64, 'base64').toString('utf8')))
  } catch {
    // Of another service, or of a version before 0.4.
    return undefined
  }
}

const DIGEST_LENGTH = 22

/** Identifies a sealed value in a configuration: 128 bits of its hash, which reveal nothing. */
export const sealedDigest = (sealed: string): string => shortDigest(sealed, DIGEST_LENGTH)

const IV_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under a key of 32 bytes: base64 of nonce, tag and text. */
export const sealText = (key: Buffer, text: string): string => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Throws when it was sealed under another key, or changed since. */
export const openText = (key: Buffer, sealed: string): string => {
  const bytes = Buffer.from(sealed, 'base64')
  const textAt = IV_BYTES + TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  }).setAuthTag(bytes.subarray(IV_BYTES, textAt))
  return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString('utf8')
}
