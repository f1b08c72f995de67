import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it, vi } from 'vitest'
import { giveHost } from '#lib/cloud/host.ts'
import { untilEnd } from '#support/until-end.ts'

giveHost({})
const asked: string[] = []
const refusal = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`
const key =
  '<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>'
const given = `<AssumeRoleResponse><AssumeRoleResult><Credentials>${key}<Expiration>2026-11-28T12:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`

/** Answers by the session's name: with a key, or a refusal of that code. */
const sts = await untilEnd(
  createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    const name = form.get('RoleSessionName') ?? ''
    asked.push(`${form.get('Policy')} ${form.get('DurationSeconds')}`)
    response.writeHead(name === 'key' ? 200 : 400, { 'content-type': 'text/xml' })
    response.end(name === 'key' ? given : refusal(name))
  }),
)
await new Promise<void>(resolve => sts.listen(0, '127.0.0.1', resolve))
// A server that listens on TCP has an address of this kind.
vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${(sts.address() as AddressInfo).port}`)
vi.stubEnv('AWS_REGION', 'us-east-1')
vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test-secret')

// Its client is made once, with the environment of its first request.
vi.resetModules()
const { assumeRole } = await import('#lib/cloud/assume-role.ts')
afterAll(() => {
  vi.unstubAllEnvs()
  // Other files in this worker would ask the server of this one.
  vi.resetModules()
})

const assume = (sessionName: string, policy: string) =>
  assumeRole({ roleArn: 'arn:aws:iam::123456789012:role/files', sessionName, policy })

it('a key of a role is asked for with its policy, for an hour', async () => {
  expect(await assume('key', '{}')).toEqual({
    accessKeyId: 'ASIA1',
    secretAccessKey: 's',
    sessionToken: 't',
    expiration: new Date('2026-11-28T12:00:00Z'),
  })
  expect(asked).toEqual(['{} 3600'])
})

it('a policy that STS cannot pack is too large, and so is one of 2,049 characters, which is not sent', async () => {
  expect(await assume('PackedPolicyTooLarge', '{}')).toBeUndefined()
  asked.length = 0
  expect(await assume('key', '{}'.padEnd(2049))).toBeUndefined()
  expect(asked).toEqual([])
})

it('any other refusal is an error', async () => {
  await expect(assume('MalformedPolicyDocument', '{')).rejects.toThrow('no')
})
