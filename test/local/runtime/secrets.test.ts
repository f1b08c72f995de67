import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Secrets } from '#local/runtime/secrets/secrets.ts'

const ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:token-abc123'
const properties = {
  GenerateSecretString: {
    PasswordLength: 32,
    ExcludePunctuation: true as const,
    SecretStringTemplate: '{}',
    GenerateStringKey: 'secret',
  },
}
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (fixed: [string, string][] = []) =>
  Secrets.open(folder, [{ name: 'token', arn: ARN, properties }], new Map(fixed))

it('keeps the version before the present one, also after a restart', async () => {
  const secrets = await open()
  const { value: first, previous } = secrets.find(ARN)
  expect(previous).toBeUndefined()
  await secrets.put(ARN, '{"secret":"second"}')
  for (const each of [secrets, await open()])
    expect(each.find(ARN)).toMatchObject({ value: '{"secret":"second"}', previous: { value: first } })
})

it('replaces no value that was given at the start', async () => {
  const secrets = await open([[ARN, 'given']])
  await expect(secrets.put(ARN, '{"secret":"second"}')).rejects.toThrow('MILLRACE_TOKEN')
  expect(secrets.find(ARN).value).toBe('given')
})
