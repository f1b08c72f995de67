import { expect, it } from 'vitest'
import { tokenSecretArn } from '#local/runtime/names.ts'
import { Secrets } from '#local/runtime/secrets/secrets.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

const open = (token?: string) => Secrets.open(folder, { token, projectId: '7' })

it('keeps the version before the present one, also after a restart', async () => {
  const secrets = await open()
  const { value: first } = secrets
  expect(JSON.parse(first)).toMatchObject({
    projectId: '7',
    secret: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
  })
  expect(await secrets.read(tokenSecretArn, 'AWSPREVIOUS')).toBeUndefined()
  await secrets.put(tokenSecretArn, '{"secret":"second"}')
  for (const each of [secrets, await open()]) {
    expect(each.value).toBe('{"secret":"second"}')
    expect(await each.read(tokenSecretArn, 'AWSPREVIOUS')).toMatchObject({ text: first })
  }
})

it('replaces no value that was given at the start', async () => {
  const secrets = await open('given')
  await expect(secrets.put(tokenSecretArn, '{"secret":"second"}')).rejects.toThrow('MILLRACE_TOKEN')
  expect(secrets.value).toBe('given')
})

it('knows no other secret', async () => {
  const secrets = await open()
  await expect(secrets.read('arn:other', 'AWSCURRENT')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  })
})
