// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how Fn::Sub is written

import { describe, expect, it } from 'vitest'
import { lambdaFunction } from '#local/runtime/resources/compute.ts'
import { bucket } from '#local/runtime/resources/data.ts'
import { queue } from '#local/runtime/resources/messages.ts'
import { readStack } from '#local/runtime/template/stack.ts'
import { fixtureTemplate } from './fixture-stack.ts'

const apiUrl = 'http://127.0.0.1:2'
const read = (template: object) => readStack(template, 'Millrace', apiUrl)
const withResource = (Type: string, Properties: object = {}, extra: object = {}) => ({
  Resources: { Thing: { Type, Properties, ...extra } },
})
const withOutput = (Value: unknown, extra: object = {}) => ({
  Resources: { Landing: { Type: 'AWS::S3::Bucket' }, Dead: { Type: 'AWS::SQS::Queue' } },
  Outputs: { It: { Value } },
  ...extra,
})
const lambda = {
  Code: { S3Bucket: 'b', S3Key: 'k' },
  Handler: 'index.handler',
  Role: 'r',
  Runtime: 'nodejs24.x',
}

describe('readStack', () => {
  it.each<[string, object, RegExp]>([
    ['a resource type', withResource('AWS::EC2::Instance'), /Thing \(AWS::EC2::Instance\): .*not known/],
    [
      'a property',
      withResource('AWS::S3::Bucket', { WebsiteConfiguration: {} }),
      /Thing \(AWS::S3::Bucket\).*WebsiteConfiguration/s,
    ],
    [
      'a property inside another',
      withResource('AWS::S3::Bucket', { NotificationConfiguration: { LambdaConfigurations: [] } }),
      /LambdaConfigurations.*NotificationConfiguration/s,
    ],
    [
      'provisioned capacity',
      withResource('AWS::DynamoDB::Table', { BillingMode: 'PROVISIONED' }),
      /BillingMode/,
    ],
    ['a layer', withResource('AWS::Lambda::Function', { ...lambda, Layers: ['arn'] }), /Layers/],
    [
      'another runtime',
      withResource('AWS::Lambda::Function', { ...lambda, Runtime: 'python3.13' }),
      /Runtime/,
    ],
    [
      'an environment that Lambda would refuse',
      withResource('AWS::Lambda::Function', {
        ...lambda,
        Environment: { Variables: { A: 'x'.repeat(4096) } },
      }),
      /4096 bytes/,
    ],
    ['inline code', withResource('AWS::Lambda::Function', { ...lambda, Code: { ZipFile: 'x' } }), /ZipFile/],
    [
      'an express machine',
      withResource('AWS::StepFunctions::StateMachine', { StateMachineType: 'EXPRESS' }),
      /StateMachineType/,
    ],
    ['a fifo queue', withResource('AWS::SQS::Queue', { FifoQueue: true }), /FifoQueue/],
    ['a redrive policy', withResource('AWS::SQS::Queue', { RedrivePolicy: {} }), /RedrivePolicy/],
    [
      'another bus',
      withResource('AWS::Events::Rule', { EventBusName: 'mine', EventPattern: {} }),
      /EventBusName/,
    ],
    [
      'a managed policy',
      withResource('AWS::IAM::Role', {
        AssumeRolePolicyDocument: { Statement: [] },
        ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'],
      }),
      /ManagedPolicyArns/,
    ],
    [
      'a bucket policy that allows',
      withResource('AWS::S3::BucketPolicy', {
        Bucket: 'b',
        PolicyDocument: { Statement: [{ Effect: 'Allow' }] },
      }),
      /Effect/,
    ],
    [
      'an attribute of a resource',
      withResource('AWS::S3::Bucket', {}, { CreationPolicy: {} }),
      /CreationPolicy/,
    ],
    ['a section', { ...withResource('AWS::S3::Bucket'), Mappings: {} }, /Mappings/],
    [
      'an intrinsic function',
      withResource('AWS::S3::Bucket', { BucketName: { 'Fn::ImportValue': 'x' } }),
      /Fn::ImportValue/,
    ],
    ['a reference to nothing', withOutput({ Ref: 'Nobody' }), /Outputs\.It.*Nobody/],
    [
      'an attribute that is not offered',
      withOutput({ 'Fn::GetAtt': ['Landing', 'WebsiteURL'] }),
      /Landing\.WebsiteURL/,
    ],
    [
      'a name that refers to itself',
      withResource('AWS::S3::Bucket', { BucketName: { Ref: 'Thing' } }),
      /refers to itself/,
    ],
    [
      'the host of the gateway',
      withResource('AWS::Lambda::Function', {
        ...lambda,
        Environment: {
          Variables: { URL: { 'Fn::Sub': 'https://x.execute-api.${AWS::Region}.amazonaws.com/' } },
        },
      }),
      /ApiEndpoint/,
    ],
    [
      'a parameter of the account',
      withOutput(
        { Ref: 'P' },
        { Parameters: { P: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/x' } } },
      ),
      /Parameters\.P/,
    ],
    [
      'a parameter without a value',
      withOutput({ Ref: 'P' }, { Parameters: { P: { Type: 'String' } } }),
      /no default/,
    ],
  ])('refuses %s by name', (_case, template, message) => {
    expect(() => read(template)).toThrow(message)
  })

  it('reports everything that it refuses at once', () => {
    const template = {
      Resources: {
        A: { Type: 'AWS::X::Y' },
        B: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
      },
    }
    expect(() => read(template)).toThrow(/A \(AWS::X::Y\).*B \(AWS::SQS::Queue\)/s)
  })

  it('gives each resource a name, an ARN and a reference', () => {
    const stack = read(fixtureTemplate)
    expect(stack.ofType(bucket).map(({ name, arn }) => [name, arn])).toEqual([
      ['millrace-landing', 'arn:aws:s3:::millrace-landing'],
      ['other', 'arn:aws:s3:::other'],
    ])
    expect(stack.ofType(queue)[0]).toMatchObject({
      ref: 'https://sqs.invalid/000000000000/Millrace-DeadLetters',
      arn: 'arn:aws:sqs:us-east-1:000000000000:Millrace-DeadLetters',
    })
    expect(stack.ofType(lambdaFunction)[0]?.properties.Environment?.Variables).toMatchObject({
      API_URL: apiUrl,
      TABLE: 'Millrace-Counts',
    })
    expect(stack.outputs).toMatchObject({ LandingBucket: 'millrace-landing' })
  })

  it('names a resource after its construct path where CDK gives it', () => {
    const template = withResource(
      'AWS::S3::Bucket',
      {},
      { Metadata: { 'aws:cdk:path': 'Millrace/Import/Landing/Resource' } },
    )
    expect(read(template).ofType(bucket)[0]?.name).toBe('millrace-import-landing')
  })

  it('keeps the names of buckets within 63 characters, and distinct', () => {
    const path = (last: string) => ({
      Metadata: { 'aws:cdk:path': `Millrace/${'Long/'.repeat(20)}${last}/Resource` },
    })
    const Resources = {
      A: { Type: 'AWS::S3::Bucket', ...path('A') },
      B: { Type: 'AWS::S3::Bucket', ...path('B') },
    }
    const names = read({ Resources })
      .ofType(bucket)
      .map(({ name }) => name)
    expect(names.every(name => name.length <= 63)).toBe(true)
    expect(new Set(names).size).toBe(2)
  })

  it('leaves out what a condition of the template excludes', () => {
    const template = {
      Conditions: { Elsewhere: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] } },
      ...withResource('AWS::S3::Bucket', {}, { Condition: 'Elsewhere' }),
    }
    expect(read(template).ofType(bucket)).toEqual([])
  })
})
