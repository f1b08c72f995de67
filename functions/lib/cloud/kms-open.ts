import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms'
import type { OpeningKeys } from './keys.ts'
import { unlessNamed } from './machines.ts'

let client: KMSClient | undefined

export const decrypt: OpeningKeys['decrypt'] = async (KeyId, CiphertextBlob, context) => {
  client ??= new KMSClient({})
  const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext: { ...context } })
  // Otherwise KMS is busy or unreachable, which says nothing of the ciphertext (API Reference, "Decrypt").
  const decrypted = client.send(command)
  return (await decrypted.catch(unlessNamed('InvalidCiphertextException', 'IncorrectKeyException')))
    ?.Plaintext
}
