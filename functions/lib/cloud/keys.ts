export type EncryptionContext = Readonly<Record<string, string>>

/** Keys that never leave their place: in KMS in an account, in files on one machine. What they encrypt is bound to a context. */
export interface SealingKeys {
  /** Of at most 4,096 bytes. */
  encrypt(keyArn: string, plaintext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
  /** A new key of 256 bits, plain and encrypted. */
  dataKey(
    keyArn: string,
    context: EncryptionContext,
  ): Promise<{ plaintext: Uint8Array; ciphertext: Uint8Array }>
}

export interface OpeningKeys {
  /** Resolves to `undefined` when it was encrypted under another key or in another context, or changed since. */
  decrypt(keyArn: string, ciphertext: Uint8Array, context: EncryptionContext): Promise<Uint8Array | undefined>
}

export interface Keys extends SealingKeys, OpeningKeys {}
