import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, removeUnfinished } from '../../durable/records.ts'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { KeyFile } from './key-file.ts'

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

  /** The key that made a blob; KMS needs no key id to decrypt. */
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
  EncryptionContext: z.record(z.string(), z.string()).default({}),
  GrantTokens: z.array(z.string()).max(0).optional(),
  EncryptionAlgorithm: z.literal('SYMMETRIC_DEFAULT').optional(),
})

/** KMS API Reference, "Encrypt" and "Decrypt". */
const LARGEST_PLAINTEXT = 4096
const LARGEST_CIPHERTEXT = 6144

const dataKeyBytes = { AES_256: 32, AES_128: 16 } as const

/** The operations of KMS (AWS JSON 1.1) that envelope encryption needs. */
export const keyOperations = (keys: Keys): Operations => ({
  'TrentService.GenerateDataKey': operation({
    action: 'kms:GenerateDataKey',
    input: inContext.extend({
      KeyId: z.string(),
      KeySpec: z.enum(['AES_256', 'AES_128']).optional(),
      NumberOfBytes: z.int().min(1).max(1024).optional(),
    }),
    resource: ({ KeyId }) => keys.find(KeyId).arn,
    run: ({ KeyId, KeySpec, NumberOfBytes, EncryptionContext }) => {
      if ((KeySpec === undefined) === (NumberOfBytes === undefined))
        throw new ServiceError('ValidationException', 'Please specify either number of bytes or key spec.')
      const key = keys.find(KeyId)
      const dataKey = randomBytes(KeySpec ? dataKeyBytes[KeySpec] : (NumberOfBytes ?? 0))
      return {
        KeyId: key.arn,
        Plaintext: dataKey.toString('base64'),
        CiphertextBlob: key.encrypt(dataKey, EncryptionContext).toString('base64'),
      }
    },
  }),

  'TrentService.Encrypt': operation({
    action: 'kms:Encrypt',
    input: inContext.extend({ KeyId: z.string(), Plaintext: blob(LARGEST_PLAINTEXT) }),
    resource: ({ KeyId }) => keys.find(KeyId).arn,
    run: ({ KeyId, Plaintext, EncryptionContext }) => {
      const key = keys.find(KeyId)
      return {
        KeyId: key.arn,
        CiphertextBlob: key.encrypt(Plaintext, EncryptionContext).toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      }
    },
  }),

  'TrentService.Decrypt': operation({
    action: 'kms:Decrypt',
    input: inContext.extend({ KeyId: z.string().optional(), CiphertextBlob: blob(LARGEST_CIPHERTEXT) }),
    resource: ({ CiphertextBlob }) => keys.findFor(CiphertextBlob).arn,
    context: ({ EncryptionContext }) =>
      Object.fromEntries(
        Object.entries(EncryptionContext).map(([name, value]) => [
          `kms:encryptioncontext:${name.toLowerCase()}`,
          value,
        ]),
      ),
    run: ({ KeyId, CiphertextBlob, EncryptionContext }) => {
      const key = keys.findFor(CiphertextBlob)
      if (KeyId !== undefined && keys.find(KeyId) !== key)
        throw new ServiceError(
          'IncorrectKeyException',
          'The key ID in the request does not identify the key.',
        )
      const plaintext = key.decrypt(CiphertextBlob, EncryptionContext)
      if (!plaintext) throw invalidCiphertext()
      return {
        KeyId: key.arn,
        Plaintext: plaintext.toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      }
    },
  }),
})
