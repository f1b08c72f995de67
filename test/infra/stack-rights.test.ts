import { Match, type Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { writtenKinds } from '../../infra/written-kinds.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { resourcesOf, statementsOf } from './resources-of.ts'

const template = synthesiseStack()

interface TrustPolicy {
  Statement: { Principal: Record<string, unknown> }[]
}

describe('rights', () => {
  it.each(statementsOf(template))('%s names its actions and resources', (_, { Action, Resource }) => {
    expect([Action].flat().filter(action => action.includes('*'))).toEqual([])
    // The delivery of logs has no resources of its own.
    if ([Action].flat().includes('logs:CreateLogDelivery')) return
    expect([Resource].flat()).not.toContain('*')
  })

  it('no role has a managed policy', () => {
    const managed = resourcesOf(template, 'AWS::IAM::Role').filter(
      ([, { Properties }]) => Properties['ManagedPolicyArns'],
    )
    expect(managed).toEqual([])
  })

  it('every role that a service takes is for work of this account', () => {
    const roles = resourcesOf(template, 'AWS::IAM::Role')
    const trusted = roles.flatMap(([id, { Properties }]) =>
      (Properties['AssumeRolePolicyDocument'] as TrustPolicy).Statement.map(statement => ({
        id,
        ...statement,
      })),
    )
    const byServices = trusted.filter(({ Principal }) => Principal['Service'] !== undefined)
    expect(new Set(byServices.map(({ Principal }) => Principal['Service']))).toEqual(
      new Set(
        ['lambda', 'states', 'events', 'scheduler', 'emr-serverless'].map(
          service => `${service}.amazonaws.com`,
        ),
      ),
    )
    expect(byServices.length).toBeGreaterThan(15)
    for (const statement of byServices)
      expect(statement).toMatchObject({
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      })
    const ofMerges = byServices.find(({ Principal }) =>
      String(Principal['Service']).startsWith('emr-serverless'),
    )
    expect(JSON.stringify(ofMerges)).toContain(
      '"ArnLike":{"aws:SourceArn":{"Fn::GetAtt":["StorageMergesApplication',
    )
  })

  it('no function but the API writes items of tokens, sessions or whatever else it does not own', () => {
    const [items] =
      resourcesOf(template, 'AWS::DynamoDB::Table').find(([id]) => id.startsWith('StorageItems')) ?? []
    const isWriting = ([, { Action, Resource }]: (typeof writers)[number]): boolean =>
      JSON.stringify(Resource).includes(`"${items}"`) &&
      [Action].flat().some(action => /^dynamodb:(Put|Update|Delete|BatchWrite)/.test(action))
    const writers = statementsOf(template)
    const bounded = writers.filter(isWriting).map(([id, statement]) => {
      const { Condition } = statement as { Condition?: Record<string, Record<string, string[]>> }
      return [
        id.replace(/Role(DefaultPolicy)?[0-9A-F]{8}$/, ''),
        Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'],
      ] as const
    })
    expect(bounded.filter(([, kinds]) => kinds === undefined).map(([id]) => id)).toEqual([
      'StorageStorageApi',
    ])
    expect(bounded).toHaveLength(1 + Object.keys(writtenKinds).length)
    for (const [, kinds = []] of bounded)
      for (const kind of ['TOKENS', 'CONSOLE_SESSION#1', 'SIGN_IN#1', 'PROJECT', 'FORMAT'])
        expect(kinds.filter(each => new RegExp(`^${each.replace('*', '.*')}$`).test(kind))).toEqual([])
  })

  const actionsOf = (policy: string): string[] =>
    statementsOf(template)
      .filter(([id]) => id.startsWith(policy))
      .flatMap(([, { Action }]) => Action)

  it('the import hook describes executions of its own machine only', () => {
    const [, statement] =
      statementsOf(template).find(([id]) => id.startsWith('ImportLookAfterExecutions')) ?? []
    expect(statement?.Action).toBe('states:DescribeExecution')
    expect(JSON.stringify(statement?.Resource)).toMatch(/:execution:.*ImportMachine.*"Name"/)
  })

  it('the preview opens secrets and does nothing else, and only the API may call it', () => {
    expect(actionsOf('StoragePreviewExtraction').flat().toSorted()).toEqual([
      'kms:Decrypt',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ])
    const callers = statementsOf(template).filter(
      ([, { Action, Resource }]) =>
        [Action].flat().includes('lambda:InvokeFunction') &&
        JSON.stringify(Resource).includes('StoragePreviewExtraction'),
    )
    expect(callers.map(([id]) => id)).toEqual([expect.stringMatching(/^StorageStorageApi/)])
  })

  it('jobs open no secret of a configuration', () => {
    const opening = statementsOf(template).filter(
      ([id, { Action }]) => id.startsWith('StorageRunJob') && [Action].flat().includes('kms:Decrypt'),
    )
    expect(opening).toEqual([])
  })

  it('the role of engines reads the objects of tables, and nothing else', () => {
    const rights = statementsOf(template).filter(([id]) => id.startsWith('StorageTableAccess'))
    expect(rights.map(([, { Action, Resource }]) => [Action, JSON.stringify(Resource)])).toEqual([
      ['s3:GetObject', expect.stringMatching(/StorageTables.*"\/tables\/\*"/)],
      ['s3:ListBucket', expect.stringMatching(/StorageTables[^/]*$/)],
    ])
  })

  it('the import hook reads the landing bucket, writes files, and never the other way round', () => {
    const on = (bucket: string) =>
      statementsOf(template)
        .filter(
          ([id, { Resource }]) =>
            id.startsWith('ImportStartImport') && JSON.stringify(Resource).includes(bucket),
        )
        .flatMap(([, { Action }]) => Action)
        .sort()
    expect(on('ImportLanding')).toEqual([
      's3:GetObject',
      's3:GetObjectVersion',
      's3:ListBucket',
      's3:ListBucketVersions',
    ])
    expect(on('StorageFiles')).toEqual([
      's3:AbortMultipartUpload',
      's3:ListMultipartUploadParts',
      's3:PutObject',
    ])
  })

  /** The merger's actions on a bucket and its objects, found by the text of the resource. */
  const mergerRights = (from: Template, bucket: string) =>
    Object.fromEntries(
      statementsOf(from)
        .filter(
          ([id, { Resource }]) =>
            id.startsWith('ExportMergeSlices') && JSON.stringify(Resource).includes(bucket),
        )
        .flatMap(([, { Action, Resource }]) =>
          [Action].flat().map(action => [action, /\.work/.test(JSON.stringify(Resource)) ? 'work' : 'all']),
        ),
    )

  it('the merger reads files, writes exports, and deletes nothing but its own work', () => {
    expect(mergerRights(template, 'StorageFiles')).toEqual({ 's3:GetObject': 'all', 's3:ListBucket': 'all' })
    expect(mergerRights(template, 'ExportExports')).toEqual({
      's3:GetObject': 'all',
      's3:ListBucket': 'all',
      's3:PutObject': 'all',
      's3:AbortMultipartUpload': 'all',
      's3:ListMultipartUploadParts': 'all',
      's3:ListBucketMultipartUploads': 'all',
      's3:DeleteObject': 'work',
    })
  })

  it('the merger writes other buckets only when the configuration names them', () => {
    expect(mergerRights(template, 'reports')).toEqual({})
    const rights = mergerRights(synthesiseStack({ exportBuckets: ['reports'] }), 'reports')
    expect(rights).toMatchObject({ 's3:PutObject': 'all' })
    expect(rights).not.toHaveProperty('s3:DeleteObject')
  })

  it('no function lists executions: an account may do so twice a second', () => {
    expect(JSON.stringify(statementsOf(template))).not.toContain('states:ListExecutions')
  })

  it('the functions around the storage service know nothing of its tables and buckets', () => {
    const poll = actionsOf('PollJob').filter(action => !/^(logs|secretsmanager):/.test(action))
    expect(poll).toEqual([])
    const items = resourcesOf(template, 'AWS::DynamoDB::Table').find(([id]) =>
      id.startsWith('StorageItems'),
    )?.[0]
    const readers = statementsOf(template).filter(([, statement]) =>
      JSON.stringify(statement).includes(`"${items}"`),
    )
    expect(
      [...new Set(readers.map(([id]) => id.replace(/Role(DefaultPolicy)?[0-9A-F]{8}$/, '')))].sort(),
    ).toEqual(['StorageRunJob', 'StorageStorageApi', 'StorageSweepFunction', 'TickFunction'])
  })

  it('the storage API seals secrets and cannot open them, the extractor the other way round', () => {
    const ofKeys = statementsOf(template).filter(([, { Action }]) =>
      [Action].flat().some(action => action.startsWith('kms:')),
    )
    expect(
      ofKeys.map(([id, { Action }]) => [id.replace(/Role(DefaultPolicy)?[0-9A-F]{8}$/, ''), Action]),
    ).toEqual([
      ['StorageStorageApi', ['kms:Encrypt', 'kms:GenerateDataKey']],
      ['StoragePreviewExtraction', 'kms:Decrypt'],
      ['ExtractRunExtractor', 'kms:Decrypt'],
    ])
    template.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { EnableKeyRotation: true },
    })
  })

  it('the storage API starts executions again, asks about one at a time, stops runs of jobs alone, and changes no machine', () => {
    const ofStates = statementsOf(template)
      .filter(([id]) => id.startsWith('StorageStorageApi') || id.startsWith('AllowRedrive'))
      .flatMap(([, { Action, Resource }]) =>
        [Action].flat().map(action => [action, JSON.stringify(Resource)]),
      )
      .filter(([action]) => action?.startsWith('states:'))
    expect(new Set(ofStates.map(([action]) => action))).toEqual(
      new Set(['states:StartExecution', 'states:DescribeExecution', 'states:StopExecution']),
    )
    const stopped = ofStates.filter(([action]) => action === 'states:StopExecution')
    expect(stopped.map(([, resource]) => resource)).toEqual([expect.stringMatching(/-extract:run-\*"/)])
    const redriven = ofStates
      .map(([, resource]) => resource)
      .find(resource => resource?.includes('ImportMachine'))
    expect(redriven).toMatch(/ImportMachine.*ExportMachine.*ExtractMachine/)
  })

  it.each(['credentials of one file', 'credentials to read one table'])(
    'only the storage API issues temporary %s',
    what => {
      template.hasResourceProperties('AWS::IAM::Role', {
        Description: Match.stringLikeRegexp(what),
        AssumeRolePolicyDocument: {
          Statement: [
            {
              Action: 'sts:AssumeRole',
              Principal: { AWS: { 'Fn::GetAtt': [Match.stringLikeRegexp('StorageApiRole'), 'Arn'] } },
            },
          ],
        },
      })
    },
  )

  it('only the storage API assumes roles', () => {
    const issuers = statementsOf(template).filter(([, { Action }]) =>
      [Action].flat().includes('sts:AssumeRole'),
    )
    const issuer = expect.stringContaining('StorageStorageApiRole')
    expect(issuers.map(([id]) => id)).toEqual([issuer, issuer])
  })
})
