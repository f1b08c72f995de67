import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { makeStack } from '../support/synthesise-stack.ts'
import { AccessLogStack, BackupStack, BoundStack, NetworkStack, TracedStack } from './extended-stack.ts'
import { resourcesOf, statementsOf } from './resources-of.ts'

const root = join(import.meta.dirname, '../..')
const templateOf = (Stack: typeof NetworkStack): Template => Template.fromStack(makeStack({}, Stack))

it('the page on extending the stack shows the code that is tried here', () => {
  const page = readFileSync(join(root, 'docs/extend.md'), 'utf8')
  const tried = readFileSync(join(import.meta.dirname, 'extended-stack.ts'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
  const bodies = blocks.filter(code => code.startsWith('super('))
  expect(bodies).toHaveLength(5)
  for (const body of bodies) expect(tried).toContain(body.replaceAll(/^(?=.)/gm, '    '))
})

it('every role is bound, every log kept as long as asked for, and the API has brakes and a name of the user', () => {
  const template = templateOf(BoundStack)
  const all = (type: string) => resourcesOf(template, type).map(([, { Properties }]) => Properties)
  for (const role of all('AWS::IAM::Role'))
    expect(role).toMatchObject({
      PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      Tags: expect.arrayContaining([{ Key: 'team', Value: 'data' }]),
    })
  for (const log of all('AWS::Logs::LogGroup')) expect(log['RetentionInDays']).toBe(365)
  expect(all('AWS::ApiGatewayV2::Stage')).toMatchObject([
    { DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 80 } },
  ])
  expect(all('AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: true }])
})

it('what reaches hosts of the user runs in the user’s network, and nothing else does', () => {
  const placed = resourcesOf(templateOf(NetworkStack), 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties['VpcConfig'],
  )
  expect(placed.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
    'ExtractRunExtractor',
    'StoragePreviewExtraction',
  ])
})

it('every bucket has access logs', () => {
  for (const [, { Properties }] of resourcesOf(templateOf(AccessLogStack), 'AWS::S3::Bucket'))
    expect(Properties['LoggingConfiguration']).toMatchObject({
      DestinationBucketName: 'access-logs-of-example',
    })
})

it('items and tables are copied each day', () => {
  templateOf(BackupStack).hasResourceProperties('AWS::Backup::BackupSelection', {
    BackupSelection: {
      Resources: Match.arrayWith([{ 'Fn::GetAtt': [Match.stringLikeRegexp('^StorageTables'), 'Arn'] }]),
    },
  })
})

it('every function and machine sends traces, and no other right is on everything', () => {
  const template = templateOf(TracedStack)
  for (const [, { Properties }] of resourcesOf(template, 'AWS::Lambda::Function'))
    expect(Properties['TracingConfig']).toEqual({ Mode: 'Active' })
  const wild = statementsOf(template).filter(([, { Resource }]) => [Resource].flat().includes('*'))
  const actions = wild.flatMap(([, { Action }]) => Action).flat()
  expect(actions.filter(action => !/^(xray:(Put|Get)\w+|logs:\w+)$/.test(action))).toEqual([])
})
