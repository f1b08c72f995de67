import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openKey } from '#local/runtime/keys.ts'
import { startKeyService } from '../../support/key-service.ts'
import { untilEnd } from '../../support/until-end.ts'

const service = await untilEnd(startKeyService(['a', 'b']))
const { keys, keyArn, arns } = service
const context = { project: '7', component: 'ex' }

describe('a data key', () => {
  it('comes plain and encrypted, and is decrypted again in the same context, whatever its order', async () => {
    const { plaintext, ciphertext } = await keys.dataKey(keyArn, context)
    expect(plaintext).toHaveLength(32)
    expect(await keys.decrypt(keyArn, ciphertext, { component: 'ex', project: '7' })).toEqual(plaintext)
  })

  it.each([
    ['in no context', {}],
    ['in another context', { ...context, component: 'other' }],
    ['in a wider context', { ...context, more: '1' }],
  ])('is not decrypted %s', async (_what, other) => {
    const { ciphertext } = await keys.dataKey(keyArn, context)
    expect(await keys.decrypt(keyArn, ciphertext, other)).toBeUndefined()
  })

  it('is not decrypted under another key', async () => {
    const { ciphertext } = await keys.dataKey(keyArn, context)
    expect(await keys.decrypt(arns[1] ?? '', ciphertext, context)).toBeUndefined()
  })
})

describe('a text', () => {
  it('is encrypted differently each time', async () => {
    const encrypt = () => keys.encrypt(keyArn, Buffer.from('abc'), {})
    expect(await encrypt()).not.toEqual(await encrypt())
  })

  it('is refused when it is longer than KMS takes', async () => {
    await expect(keys.encrypt(keyArn, Buffer.from('x'.repeat(5000)), {})).rejects.toMatchObject({
      name: 'ValidationException',
    })
  })
})

describe('a key', () => {
  it('that is not there is not found', async () => {
    await expect(keys.encrypt('nothing', Buffer.from('a'), {})).rejects.toMatchObject({
      name: 'NotFoundException',
    })
  })

  it('is kept in a file that only its owner may read', async () => {
    const files = await readdir(service.folder)
    expect(files).toHaveLength(2)
    for (const file of files) expect((await stat(join(service.folder, file))).mode & 0o777).toBe(0o600)
  })

  it('is the same after a restart, and a damaged file is refused', async () => {
    const [arn = ''] = service.arns
    const sealed = await (await openKey(service.folder, arn)).encrypt(arn, Buffer.from('abc'), context)
    const again = await openKey(service.folder, arn)
    expect(Buffer.from((await again.decrypt(arn, sealed, context)) ?? []).toString()).toBe('abc')

    const [file = ''] = await readdir(service.folder)
    const path = join(service.folder, file)
    const content = await readFile(path, 'utf8')
    await writeFile(path, 'short')
    await expect(Promise.all(service.arns.map(each => openKey(service.folder, each)))).rejects.toThrow(
      /does not hold 32 bytes/,
    )
    await writeFile(path, content)
  })
})
