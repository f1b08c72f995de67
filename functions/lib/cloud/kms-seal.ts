import { EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import type { SealingKeys } from './keys.ts'

let client: KMSClient | undefined
const kms = (): KMSClient => {
  client ??= new KMSClient({})
  return client
}

export const encrypt: SealingKeys['encrypt'] = async (KeyId, Plaintext, context) => {
  const command = new EncryptCommand({ KeyId, Plaintext, EncryptionContext: { ...context } })
  const { CiphertextBlob } = await kms().send(command)
  return given(CiphertextBlob)
}

export const dataKey: SealingKeys['dataKey'] = async (KeyId, context) => {
  const EncryptionContext = { ...context }
  const command = new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext })
  const { Plaintext, CiphertextBlob } = await kms().send(command)
  return { plaintext: given(Plaintext), ciphertext: given(CiphertextBlob) }
}

const given = (bytes: Uint8Array | undefined): Uint8Array => {
  if (bytes === undefined) throw new Error('KMS gave nothing')
  return bytes
}
