import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KeyFile } from '#local/runtime/keys/keys.ts'
import { startKeyService } from '../../support/key-service.ts'

let service: Awaited<ReturnType<typeof startKeyService>>
let kms: KMSClient
beforeAll(async () => {
  service = await startKeyService(['a', 'b'])
  kms = new KMSClient(service.kms)
})
afterAll(async () => {
  kms.destroy()
  await service.close()
})

const context = { project: '7', component: 'ex' }
const generate = () =>
  kms.send(
    new GenerateDataKeyCommand({ KeyId: service.keyArn, KeySpec: 'AES_256', EncryptionContext: context }),
  )

describe('a data key', () => {
  it('comes plain and encrypted, and is decrypted again in the same context, whatever its order', async () => {
    const { Plaintext, CiphertextBlob } = await generate()
    expect(Plaintext).toHaveLength(32)
    const reversed = { component: 'ex', project: '7' }
    const opened = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: reversed }))
    expect(opened).toMatchObject({ KeyId: service.keyArn })
    expect(Buffer.from(opened.Plaintext ?? [])).toEqual(Buffer.from(Plaintext ?? []))
  })

  it.each([
    ['in no context', {}],
    ['in another context', { ...context, component: 'other' }],
    ['in a wider context', { ...context, more: '1' }],
  ])('is not decrypted %s', async (_what, EncryptionContext) => {
    const { CiphertextBlob } = await generate()
    await expect(kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    })
  })

  it('is not decrypted under another key', async () => {
    const { CiphertextBlob } = await generate()
    const input = { CiphertextBlob, EncryptionContext: context, KeyId: service.arns[1] }
    await expect(kms.send(new DecryptCommand(input))).rejects.toMatchObject({ name: 'IncorrectKeyException' })
  })
})

describe('a text', () => {
  it('is encrypted differently each time', async () => {
    const encrypt = async () =>
      (await kms.send(new EncryptCommand({ KeyId: service.keyArn, Plaintext: Buffer.from('abc') })))
        .CiphertextBlob
    expect(await encrypt()).not.toEqual(await encrypt())
  })

  it('is refused when it is longer than KMS takes', async () => {
    const input = { KeyId: service.keyArn, Plaintext: Buffer.alloc(5000) }
    await expect(kms.send(new EncryptCommand(input))).rejects.toMatchObject({ name: 'ValidationException' })
  })
})

describe('a key', () => {
  it('that is not there is not found', async () => {
    const input = { KeyId: 'nothing', Plaintext: Buffer.from('a') }
    await expect(kms.send(new EncryptCommand(input))).rejects.toMatchObject({ name: 'NotFoundException' })
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
