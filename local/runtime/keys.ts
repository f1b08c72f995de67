import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { EncryptionContext, Keys } from '#lib/cloud/keys.ts'
import { digestBytes } from '#lib/digests.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import { type Log, readOrMake } from '../durable/records.ts'
import { ServiceError } from './service-error.ts'

/** KMS API Reference, "Encrypt". */
const LARGEST_PLAINTEXT = 4096

const KEY_BYTES = 32
const NAME_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * The system's KMS key: 256 bits in a file that only its owner may read. Encrypts with AES-GCM.
 *
 * Makes the file when it is missing. An empty one was cut off before its key was ever used, and is set aside. One of
 * another length is refused: with a new key in its place, what the old one encrypted would be lost.
 */
export const openKey = async (
  folder: string,
  keyArn: string,
  { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
): Promise<Keys> => {
  const name = digestBytes(keyArn).subarray(0, NAME_BYTES)
  const path = join(folder, `${name.toString('hex')}.key`)
  const make = () => randomBytes(KEY_BYTES).toString('base64')
  const { value } = await readOrMake(files, path, { parse: notEmpty, make, log })
  const secret = Buffer.from(value, 'base64')
  if (secret.length !== KEY_BYTES)
    throw new Error(
      `The key file ${path} does not hold ${KEY_BYTES} bytes. Restore it from a copy: what it encrypted cannot be ` +
        'opened without it. If it never encrypted anything, remove it.',
    )

  const refuseOther = (arn: string): void => {
    if (arn !== keyArn)
      throw new ServiceError('NotFoundException', `Key '${arn.slice(0, 200)}' does not exist`)
  }
  /** The key's name, a random vector, the tag, and the text. The context is authenticated, not stored. */
  const seal = (plaintext: Uint8Array, context: EncryptionContext): Buffer => {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(canonical(context))
    const text = Buffer.concat([cipher.update(plaintext), cipher.final()])
    return Buffer.concat([name, iv, cipher.getAuthTag(), text])
  }
  return {
    encrypt: async (arn, plaintext, context) => {
      refuseOther(arn)
      if (plaintext.length > LARGEST_PLAINTEXT)
        throw new ServiceError('ValidationException', `A key encrypts at most ${LARGEST_PLAINTEXT} bytes`)
      return seal(plaintext, context)
    },
    dataKey: async (arn, context) => {
      refuseOther(arn)
      const plaintext = randomBytes(KEY_BYTES)
      return { plaintext, ciphertext: seal(plaintext, context) }
    },
    decrypt: async (arn, ciphertext, context) => {
      refuseOther(arn)
      const bytes = Buffer.from(ciphertext)
      const [tagAt, textAt] = [NAME_BYTES + IV_BYTES, NAME_BYTES + IV_BYTES + TAG_BYTES]
      if (bytes.length < textAt || !name.equals(bytes.subarray(0, NAME_BYTES))) return undefined
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(NAME_BYTES, tagAt))
        .setAAD(canonical(context))
        .setAuthTag(bytes.subarray(tagAt, textAt))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

const notEmpty = (text: string): string => {
  if (text === '') throw new Error('The key is empty')
  return text
}

/** The order in which a context is given means nothing. */
const canonical = (context: EncryptionContext): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1))))
