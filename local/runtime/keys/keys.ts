import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { EncryptionContext, Keys as KeysPort } from '#lib/cloud/keys.ts'
import { digestBytes } from '#lib/digests.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecord, removeUnfinished } from '../../durable/records.ts'
import { ServiceError } from '../service-error.ts'

/** The template's KMS keys, each in a file of the data directory. */
export class Keys implements KeysPort {
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

  async encrypt(arn: string, plaintext: Uint8Array, context: EncryptionContext): Promise<Uint8Array> {
    if (plaintext.length > LARGEST_PLAINTEXT)
      throw new ServiceError('ValidationException', `A key encrypts at most ${LARGEST_PLAINTEXT} bytes`)
    return this.#find(arn).encrypt(plaintext, context)
  }

  async dataKey(arn: string, context: EncryptionContext) {
    const plaintext = randomBytes(KEY_BYTES)
    return { plaintext, ciphertext: this.#find(arn).encrypt(plaintext, context) }
  }

  async decrypt(
    arn: string,
    ciphertext: Uint8Array,
    context: EncryptionContext,
  ): Promise<Uint8Array | undefined> {
    return this.#find(arn).decrypt(ciphertext, context)
  }

  #find(arn: string): KeyFile {
    const found = this.#keys.find(key => key.arn === arn)
    if (found) return found
    throw new ServiceError('NotFoundException', `Key '${arn.slice(0, 200)}' does not exist`)
  }
}

/** KMS API Reference, "Encrypt". */
const LARGEST_PLAINTEXT = 4096

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
    const isOurs = nameOf(this.arn).equals(bytes.subarray(0, NAME_BYTES))
    if (bytes.length < tagAt + TAG_BYTES || !isOurs) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#secret, bytes.subarray(NAME_BYTES, tagAt))
      .setAAD(canonical(context))
      .setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(tagAt + TAG_BYTES)), decipher.final()])
    } catch {
      return undefined
    }
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
