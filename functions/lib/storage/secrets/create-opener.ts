import type { EncryptionContext, OpeningKeys } from '../../cloud/keys.ts'
import { openingKeys } from '../../cloud/opening-keys.ts'
import { UserError } from '../../errors/errors.ts'
import { mapSecrets } from './map-secrets.ts'
import {
  contextOf,
  dataKeyContext,
  isSealed,
  openText,
  parseSealed,
  type SecretContext,
  type SecretOwner,
  sealedDigest,
} from './sealed-secret.ts'

/** Who opens secrets: a configuration, and the digests of values that the service itself copied to it. */
export interface SecretReader extends SecretOwner {
  adoptedSecrets?: readonly string[]
}

/** Opens every sealed secret of a JSON value. Other values stay. Error: `secrets.notOpened`. */
type OpenSecrets = (value: unknown, reader: SecretReader) => Promise<unknown>

interface OpenerOptions {
  keyArn: string
  /** Default: those of the cloud. */
  keys?: OpeningKeys
}

/**
 * Opens what `createSealer` sealed, for the function that runs a component. Needs `kms:Decrypt`.
 *
 * Refuses a secret that a client pasted here from elsewhere, although KMS would open it: the owner must be the one it
 * was sealed for, or the service itself must have copied it.
 */
export const createOpener = ({ keyArn, keys = openingKeys }: OpenerOptions): OpenSecrets => {
  const decrypt = async (sealed: string, context: EncryptionContext): Promise<Buffer> => {
    const plaintext = await keys.decrypt(keyArn, Buffer.from(sealed, 'base64'), context)
    if (!plaintext) throw damaged()
    return Buffer.from(plaintext)
  }

  return (value, reader) => {
    // Secrets that were sealed together share a data key. Whoever says another context asks KMS again, which refuses it.
    const dataKeys = new Map<string, Promise<Buffer>>()
    const dataKeyOf = (dataKey: string, context: SecretContext): Promise<Buffer> => {
      const id = JSON.stringify([dataKey, context])
      const found = dataKeys.get(id) ?? decrypt(dataKey, dataKeyContext(context))
      dataKeys.set(id, found)
      return found
    }
    return mapSecrets(value, async secret => {
      if (!isSealed(secret)) return secret
      const sealed = parseSealed(secret)
      if (!sealed) throw notOpened('It was sealed by another service, or by a version before 0.4.')
      const { context, text } = sealed
      refuseForeign(context, secret, reader)
      if (!('dataKey' in sealed)) return (await decrypt(text, context)).toString('utf8')
      const key = await dataKeyOf(sealed.dataKey, context)
      try {
        return openText(key, text)
      } catch {
        throw damaged()
      }
    })
  }
}

const refuseForeign = (context: SecretContext, secret: string, reader: SecretReader): void => {
  const own = contextOf(reader)
  if (context.projectId !== own.projectId || context.componentId !== own.componentId)
    throw notOpened('It was sealed for another project or component.')
  const { configurationId } = context
  const isOwn = configurationId === undefined || configurationId === own.configurationId
  if (!isOwn && !reader.adoptedSecrets?.includes(sealedDigest(secret)))
    throw notOpened('It was sealed for another configuration.')
}

const damaged = () => notOpened('It is damaged, or was sealed under another key.')

const notOpened = (reason: string) =>
  new UserError(
    'secrets.notOpened',
    `A secret of the configuration cannot be opened. ${reason} Enter it again.`,
  )

/** In place of an opener where another service holds the key. Error: `secrets.notOpened`. */
export const refuseSealed = (value: unknown): Promise<unknown> =>
  mapSecrets(value, async secret => {
    if (!isSealed(secret)) return secret
    throw new UserError(
      'secrets.notOpened',
      'A secret of the configuration was sealed by its storage service, which alone can open it.',
    )
  })
