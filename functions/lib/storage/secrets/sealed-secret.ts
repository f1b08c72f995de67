import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

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

/** The encryption context of the AWS Encryption SDK. KMS sees it too, for its log and key policy. */
export const encryptionContext = ({
  projectId,
  componentId,
  configId,
  tokenId,
}: SecretOwner & Partial<SecretAuthor>): Record<string, string> => ({
  projectId: String(projectId),
  componentId,
  ...(configId !== undefined && { configurationId: configId }),
  ...(tokenId !== undefined && { tokenId }),
})

/** Prefix of our own sealed values: bound to the project, in the notation that clients know. */
const PREFIX = 'KBC::ProjectSecure::'

/**
 * Whether a text is already sealed, by this service or a similar one. Clients read a configuration, change a part and
 * send all of it back, sealed values included.
 */
export const isSealed = (text: string): boolean => /^KBC::\w+::./.test(text)

export const formatSealed = (message: Uint8Array): string =>
  `${PREFIX}${Buffer.from(message).toString('base64')}`

/** The message of a sealed value, or `undefined` when it is not one of ours. */
export const parseSealed = (text: string): Buffer | undefined => {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}

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
