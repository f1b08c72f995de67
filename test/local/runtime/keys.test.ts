import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKmsRequest } from '#lib/aws/kms-request.ts'
import { KeyFile } from '#local/runtime/keys/keys.ts'
import { startKeyService } from '../../support/key-service.ts'
import { untilEnd } from '../../support/until-end.ts'

const service = await untilEnd(startKeyService(['a', 'b']))
const kms = createKmsRequest(service.kms)

const context = { project: '7', component: 'ex' }
const blob = z.object({ CiphertextBlob: z.string() })

const generate = async () =>
  blob.extend({ Plaintext: z.string() }).parse(
    await kms('GenerateDataKey', {
      KeyId: service.keyArn,
      KeySpec: 'AES_256',
      EncryptionContext: context,
    }),
  )

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a data key', () => {
  it('comes plain and encrypted, and is decrypted again in the same context, whatever its order', async () => {
    const { Plaintext, CiphertextBlob } = await generate()
    expect(Buffer.from(Plaintext, 'base64')).toHaveLength(32)
    const EncryptionContext = { component: 'ex', project: '7' }
    expect(await kms('Decrypt', { KeyId: service.keyArn, CiphertextBlob, EncryptionContext })).toEqual({
      KeyId: service.keyArn,
      Plaintext,
    })
  })

  it.each([
    ['in no context', {}],
    ['in another context', { ...context, component: 'other' }],
    ['in a wider context', { ...context, more: '1' }],
  ])('is not decrypted %s', async (_what, EncryptionContext) => {
    const { CiphertextBlob } = await generate()
    await expect(
      kms('Decrypt', { KeyId: service.keyArn, CiphertextBlob, EncryptionContext }),
    ).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
  })

  it('is not decrypted under another key', async () => {
    const { CiphertextBlob } = await generate()
    const input = { CiphertextBlob, EncryptionContext: context, KeyId: service.arns[1] }
    await expect(kms('Decrypt', input)).rejects.toMatchObject({ name: 'IncorrectKeyException' })
  })
})

describe('a text', () => {
  it('is encrypted differently each time', async () => {
    const encrypt = async () =>
      blob.parse(await kms('Encrypt', { KeyId: service.keyArn, Plaintext: base64('abc') })).CiphertextBlob
    expect(await encrypt()).not.toEqual(await encrypt())
  })

  it('is refused when it is longer than KMS takes', async () => {
    const input = { KeyId: service.keyArn, Plaintext: base64('x'.repeat(5000)) }
    await expect(kms('Encrypt', input)).rejects.toMatchObject({ name: 'ValidationException' })
  })
})

describe('a key', () => {
  it('that is not there is not found', async () => {
    const input = { KeyId: 'nothing', Plaintext: base64('a') }
    await expect(kms('Encrypt', input)).rejects.toMatchObject({ name: 'NotFoundException' })
  })

  it('is kept in a file that only its owner may read', async () => {
    const files = await readdir(service.folder)
    expect(files).toHaveLength(2)
    for (const file of files) expect((await stat(join(service.folder, file))).mode & 0o777).toBe(0o600)
  })

  it('is the same after a restart, and a damaged file is refused', async () => {
    const [arn = ''] = service.arns
    const sealed = (await KeyFile.open(service.folder, arn)).encrypt(Buffer.from('abc'), context)
    const again = await KeyFile.open(service.folder, arn)
    expect(again.decrypt(sealed, context)?.toString()).toBe('abc')

    const [file = ''] = await readdir(service.folder)
    const path = join(service.folder, file)
    const content = await readFile(path, 'utf8')
    await writeFile(path, 'short')
    await expect(Promise.all(service.arns.map(each => KeyFile.open(service.folder, each)))).rejects.toThrow(
      /does not hold 32 bytes/,
    )
    await writeFile(path, content)
  })
})
