import { describe, expect, it } from 'vitest'
import { readStackConfig } from '../../infra/stack-config.ts'

const read = (context: Record<string, unknown>) => readStackConfig(context)

const accountValues = {
  dataKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd',
  apiDomainName: 'a.example.com',
  apiCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
}

describe('the configuration', () => {
  it.each<[Record<string, unknown>, string | RegExp]>([
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
    [{ environment: 'staging', environments: { staging: { alarmEmail: 'nobody' } } }, /alarmEmail/],
    [{ removalPolicy: 'keep' }, /removalPolicy/],
    [{ dataKeyArn: 'alias/mine' }, /dataKeyArn/],
    [{ apiDomainName: 'storage.example.com' }, /apiDomainName/],
    [{ apiDomainName: 'storage.*.com', apiCertificateArn: accountValues.apiCertificateArn }, /apiDomainName/],
    [{ numberRounded: 'round' }, 'The context has no "numberRounded". Did you mean "numberRounding"?'],
    [
      { apiDomainName: 'https://storage.example.com', apiCertificateArn: accountValues.apiCertificateArn },
      /apiDomainName/,
    ],
    [{ sizes: { concurrency: { 'start-imports': 5 } } }, /concurrency/],
    [{ sizes: '{"concurrency":{"start-import":0}}' }, /concurrency/],
    [{ sizes: '{' }, /sizes/],
    [{ landingRules: '[' }, /landingRules/],
    [{ distributed: true }, /distributed/],
  ])('%j is refused by name', (context, message) => {
    expect(() => read(context)).toThrow(message)
  })
})
