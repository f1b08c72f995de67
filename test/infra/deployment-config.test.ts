import { describe, expect, it } from 'vitest'
import { readStackConfig } from '../../infra/stack-config.ts'

const read = (context: Record<string, unknown>) => readStackConfig(context)

const accountValues = {
  dataKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd',
  permissionsBoundaryArn: 'arn:aws:iam::aws:policy/PowerUserAccess',
  apiDomainName: 'a.example.com',
  apiCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  apiHostedZoneId: 'Z012345',
  apiOnlyAtDomain: true,
}

it('sizes of functions are those of the configuration', () => {
  const config = read({ functionMemoryMiB: '{"run-job":4096}', functionScratchMiB: { 'storage-api': 4096 } })
  expect(config).toMatchObject({
    functionMemoryMiB: { 'run-job': 4096 },
    functionScratchMiB: { 'storage-api': 4096 },
  })
})

describe('the configuration', () => {
  it.each<[Record<string, unknown>, string | RegExp]>([
    [{ shape: 'half' }, /shape/],
    [{ shape: 'functions' }, /storageUrl/],
    [{ shape: 'storage', storageUrl: 'https://a.example.com', storageTokenSecret: 't' }, /storageUrl/],
    [{ storageUrl: 'https://a.example.com' }, /storageTokenSecret/],
    [{ environment: 'Staging' }, /environment/],
    [
      { environment: 'stagin', environments: { staging: {} } },
      'There is no environment "stagin". There are: staging.',
    ],
    [
      { environments: { staging: { alarmEmial: 'a@example.com' } } },
      'The environment "staging" has no "alarmEmial". Did you mean "alarmEmail"?',
    ],
    [
      { environments: { staging: { environment: 'b' } } },
      'The environment "staging" cannot hold "environment".',
    ],
    [{ environments: { staging: 3 } }, /environments/],
    [{ environment: 'staging', environments: { staging: { logRetentionDays: 8 } } }, /logRetentionDays/],
    [{ removalPolicy: 'keep' }, /removalPolicy/],
    [{ logRetentionDays: 0 }, /logRetentionDays/],
    [{ dataKeyArn: 'alias/mine' }, /dataKeyArn/],
    [{ permissionsBoundaryArn: 'boundary' }, /permissionsBoundaryArn/],
    [{ apiDomainName: 'storage.example.com' }, /apiDomainName/],
    [{ apiDomainName: 'storage.*.com', apiCertificateArn: accountValues.apiCertificateArn }, /apiDomainName/],
    [{ numberRounded: 'round' }, 'The context has no "numberRounded". Did you mean "numberRounding"?'],
    [
      { apiDomainName: 'https://storage.example.com', apiCertificateArn: accountValues.apiCertificateArn },
      /apiDomainName/,
    ],
    [{ apiHostedZoneId: 'Z012345' }, /apiHostedZoneId/],
    [{ apiOnlyAtDomain: true }, /apiOnlyAtDomain/],
    [{ apiRequestsPerSecond: 0 }, /apiRequestsPerSecond/],
    [{ tags: { 'aws:team': 'data' } }, /tags/],
    [{ tags: '{' }, /tags/],
    [{ accountConcurrency: 3 }, /accountConcurrency/],
    [{ functionMemoryMiB: { 'run-jobs': 512 } }, /functionMemoryMiB/],
    [{ functionMemoryMiB: { 'run-job': 64 } }, /functionMemoryMiB/],
    [{ functionScratchMiB: { 'run-job': 20_000 } }, /functionScratchMiB/],
    [{ functionConcurrency: { 'start-imports': 5 } }, /functionConcurrency/],
    [{ functionConcurrency: { 'start-import': 0 } }, /functionConcurrency/],
    [
      { functionConcurrency: '{"start-import":600,"storage-api":301}' },
      /reserves 901; of accountConcurrency 1000 at most 900 can be/,
    ],
    [{ functionConcurrency: { 'storage-api': 1 }, accountConcurrency: 10 }, /at most 0 can be/],
    [{ landingRules: '[' }, /landingRules/],
    [{ distributed: true }, /distributed/],
  ])('%j is refused by name', (context, message) => {
    expect(() => read(context)).toThrow(message)
  })
})
