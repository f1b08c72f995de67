import { expect, it } from 'vitest'
import { tokenSecretArn } from '#local/runtime/names.ts'
import { openSecrets } from '#local/runtime/secrets.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

const open = (token?: string) => openSecrets(folder, { token, projectId: '7' })

it('keeps what was made, also after a start with another one', async () => {
  const secrets = await open()
  const { value: first } = secrets
  expect(JSON.parse(first)).toMatchObject({
    projectId: '7',
    secret: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
  })
  expect(await secrets.read(tokenSecretArn, 'AWSPREVIOUS')).toBeUndefined()
  expect((await open('given')).value).toBe('given')
  expect(await (await open()).read(tokenSecretArn, 'AWSCURRENT')).toMatchObject({ text: first })
})

it('knows no other secret', async () => {
  const secrets = await open()
  await expect(secrets.read('arn:other', 'AWSCURRENT')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  })
})
