import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { digestBytes } from '#lib/digests.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecord, removeUnfinished } from '../../durable/records.ts'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'

/** The template's KMS keys, each in a file of the data directory. */
export class Keys {
  readonly #keys: readonly KeyFile[]

  private constructor(keys: readonly KeyFile[]) {
    this.#keys = keys
  }

  static async open(
    folder: string,
    arns: readonly string[],
    { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
  ): Promise<Keys> {
    await files.makeFolder(folder)
    await removeUnfinished(files, folder)
    return new Keys(await Promise.all(arns.map(arn => KeyFile.open(folder, arn, { files, log }))))
  }

  /** By ARN or id. */
  find(id: string): KeyFile {
    const found = this.#keys.find(({ arn }) => id === arn || arn.endsWith(`/${id}`))
    if (found) return found
    throw new ServiceError('NotFoundException', `Key '${id.slice(0, 200)}' does not exist`)
  }

  /** The key that made a blob. */
  findFor(blob: Uint8Array): KeyFile {
    const found = this.#keys.find(key => key.hasEncrypted(blob))
    if (found) return found
    throw invalidCiphertext()
  }
}

const invalidCiphertext = () => new ServiceError('InvalidCiphertextException', '')

const blob = (maxBytes: number) =>
  z
    .base64()
    .transform(text => Buffer.from(text, 'base64'))
    .refine(bytes => bytes.length > 0 && bytes.length <= maxBytes, {
      error: `must hold 1 to ${maxBytes} bytes`,
    })

const inContext = z.object({
  KeyId: z.string(),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
})

/** KMS API Reference, "Encrypt" and "Decrypt". */
const LARGEST_PLAINTEXT = 4096
const LARGEST_CIPHERTEXT = 6144

const DATA_KEY_BYTES = 32

/** The operations of KMS (AWS JSON 1.1) that secrets are sealed and opened by. */
export const keyOperations = (keys: Keys): Operations => ({
  'TrentService.GenerateDataKey': operation({
    action: 'kms:GenerateDataKey',
    input: inContext.extend({ KeySpec: z.literal('AES_256') }),
    resource: ({ KeyId }) => keys.find(KeyId).arn,
    run: ({ KeyId, EncryptionContext }) => {
      const key = keys.find(KeyId)
      const dataKey = randomBytes(DATA_KEY_BYTES)
      return {
        KeyId: key.arn,
        Plaintext: dataKey.toString('base64'),
        CiphertextBlob: key.encrypt(dataKey, EncryptionContext).toString('base64'),
      }
    },
  }),

  'TrentService.Encrypt': operation({
    action: 'kms:Encrypt',
    input: inContext.extend({ Plaintext: blob(LARGEST_PLAINTEXT) }),
    resource: ({ KeyId }) => keys.find(KeyId).arn,
    run: ({ KeyId, Plaintext, EncryptionContext }) => {
      const key = keys.find(KeyId)
      return {
        KeyId: key.arn,
        CiphertextBlob: key.encrypt(Plaintext, EncryptionContext).toString('base64'),
      }
    },
  }),

  'TrentService.Decrypt': operation({
    action: 'kms:Decrypt',
    input: inContext.extend({ CiphertextBlob: blob(LARGEST_CIPHERTEXT) }),
    resource: ({ CiphertextBlob }) => keys.findFor(CiphertextBlob).arn,
    run: ({ KeyId, CiphertextBlob, EncryptionContext }) => {
      const key = keys.findFor(CiphertextBlob)
      if (keys.find(KeyId) !== key)
        throw new ServiceError(
          'IncorrectKeyException',
          'The key ID in the request does not identify the key.',
        )
      const plaintext = key.decrypt(CiphertextBlob, EncryptionContext)
      if (!plaintext) throw invalidCiphertext()
      return { KeyId: key.arn, Plaintext: plaintext.toString('base64') }
    },
  }),
})

type EncryptionContext = Readonly<Record<string, string>>

const KEY_BYTES = 32
const NAME_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16

/** One key: 256 bits in a file that only its owner may read. Encrypts with AES-GCM. */
export class KeyFile {
  readonly arn: string
  readonly #secret: Buffer

  private constructor(arn: string, secret: Buffer) {
    this.arn = arn
    this.#secret = secret
  }

  /**
   * Makes the file when it is missing; its folder is there. An empty one was cut off before its key was ever used, and is set aside. One of
   * another length is refused: with a new key in its place, what the old one encrypted would be lost.
   */
  static async open(
    folder: string,
    arn: string,
    { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
  ): Promise<KeyFile> {
    const path = join(folder, `${nameOf(arn).toString('hex')}.key`)
    const text = (await readRecord(files, path, notEmpty, log)) ?? (await makeKey(files, path))
    const secret = Buffer.from(text, 'base64')
    if (secret.length !== KEY_BYTES)
      throw new Error(
        `The key file ${path} does not hold ${KEY_BYTES} bytes. Restore it from a copy: what it encrypted cannot be ` +
          'opened without it. If it never encrypted anything, remove it.',
      )
    return new KeyFile(arn, secret)
  }

  /** The key's name, a random vector, the tag, and the text. The context is authenticated, not stored. */
  encrypt(plaintext: Uint8Array, context: EncryptionContext): Buffer {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#secret, iv).setAAD(canonical(context))
    const text = Buffer.concat([cipher.update(plaintext), cipher.final()])
    return Buffer.concat([nameOf(this.arn), iv, cipher.getAuthTag(), text])
  }

  /** `undefined` when it was encrypted under another key or context, or changed since. */
  decrypt(blob: Uint8Array, context: EncryptionContext): Buffer | undefined {
    const bytes = Buffer.from(blob)
    const tagAt = NAME_BYTES + IV_BYTES
    if (bytes.length < tagAt + TAG_BYTES || !this.hasEncrypted(bytes)) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#secret, bytes.subarray(NAME_BYTES, tagAt))
      .setAAD(canonical(context))
      .setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(tagAt + TAG_BYTES)), decipher.final()])
    } catch {
      return undefined
    }
  }

  hasEncrypted(blob: Uint8Array): boolean {
    return nameOf(this.arn).equals(blob.subarray(0, NAME_BYTES))
  }
}

const notEmpty = (text: string): string => {
  if (text === '') throw new Error('The key is empty')
  return text
}

const makeKey = async (files: DurableFiles, path: string): Promise<string> => {
  const made = randomBytes(KEY_BYTES).toString('base64')
  await files.writeWhole(path, made)
  return made
}

const nameOf = (arn: string): Buffer => digestBytes(arn).subarray(0, NAME_BYTES)

/** The order in which a context is given means nothing. */
const canonical = (context: EncryptionContext): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1))))
