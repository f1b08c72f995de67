import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { resourcesOf, statementsOf } from './resources-of.ts'

const template = synthesiseStack()

describe('queries of large loads', () => {
  it('are bounded in bytes, write encrypted results to one place and run on version 3, whatever a caller says', () => {
    template.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        EnforceWorkGroupConfiguration: true,
        BytesScannedCutoffPerQuery: 2_000_000_000_000,
        EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
        ResultConfiguration: {
          OutputLocation: {
            'Fn::Join': [
              '',
              ['s3://', { Ref: Match.stringLikeRegexp('^StorageQueriesResults') }, '/merges/'],
            ],
          },
          EncryptionConfiguration: { EncryptionOption: 'SSE_S3' },
        },
      },
    })
  })

  it('leave results for a day', () => {
    const [, results] =
      resourcesOf(template, 'AWS::S3::Bucket').find(([id]) => id.startsWith('StorageQueriesResults')) ?? []
    expect(results?.Properties).toMatchObject({
      LifecycleConfiguration: {
        Rules: expect.arrayContaining([expect.objectContaining({ ExpirationInDays: 1, Status: 'Enabled' })]),
      },
    })
  })

  it('are bounded as the stack says', () => {
    const small = synthesiseStack({ queryScanBytes: '20000000', queryTimeoutSeconds: '60' })
    small.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: { BytesScannedCutoffPerQuery: 20_000_000 },
    })
    small.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ QUERY_TIMEOUT_SECONDS: '60' }) },
    })
    expect(() => synthesiseStack({ queryScanBytes: 1 })).toThrow('queryScanBytes')
  })

  it('may use one workgroup and the tables of one database', () => {
    const statements = statementsOf(template).filter(([id]) => id.startsWith('StorageQueriesMergeByQuery'))
    const resourcesOfAction = (service: string) =>
      statements
        .filter(([, { Action }]) => [Action].flat().some(action => action.startsWith(service)))
        .flatMap(([, { Resource }]) => [Resource].flat())
        .map(resource => JSON.stringify(resource))
    expect(resourcesOfAction('athena:')).toEqual([expect.stringMatching(/:workgroup\/.*-merges"/)])
    expect(resourcesOfAction('glue:')).toEqual([
      expect.stringContaining(':catalog'),
      expect.stringContaining(':database/millrace_1"'),
      expect.stringContaining(':table/millrace_1/*"'),
      expect.stringContaining(':catalog'),
      expect.stringContaining(':database/default"'),
      expect.stringContaining(':database/millrace_1"'),
    ])
  })

  it('delete nothing but what loads have staged', () => {
    const deleting = statementsOf(template).filter(
      ([id, { Action }]) =>
        id.startsWith('StorageQueriesMergeByQuery') && [Action].flat().includes('s3:DeleteObject'),
    )
    expect(deleting).toHaveLength(1)
    expect(JSON.stringify(deleting[0]?.[1].Resource)).toContain('/tables/staging/*')
  })

  it('pack large tables each day, within the bytes that the stack allows, and change no object themselves', () => {
    const packing = synthesiseStack({ optimizeBytesPerDay: '5000' })
    packing.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ OPTIMIZE_BYTES_PER_DAY: '5000' }) },
    })
    packing.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'cron(30 3 * * ? *)',
      Target: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^StoragePackingStart'), 'Arn'] } },
    })
    const actions = statementsOf(packing)
      .filter(([id]) => id.startsWith('StoragePackingStart'))
      .flatMap(([, { Action }]) => [Action].flat())
    expect(actions).toContain('states:StartExecution')
    expect(actions).not.toContain('s3:PutObject')
    expect(actions.filter(action => /^(athena|glue):/.test(action))).toEqual([])
  })

  it('pack no table by themselves when no bytes are allowed for it, or large loads are off', () => {
    for (const context of [{ optimizeBytesPerDay: 0 }, { distributed: 'false' }])
      expect(JSON.stringify(synthesiseStack(context).toJSON())).not.toContain('StoragePacking')
  })

  it('are not there when large loads are off, and no function has a right on Glue', () => {
    const off = synthesiseStack({ distributed: 'false' })
    off.resourceCountIs('AWS::Athena::WorkGroup', 0)
    off.resourceCountIs('AWS::Glue::Database', 0)
    expect(JSON.stringify(off.toJSON())).not.toMatch(/glue:|athena:|MergeByQuery/)
    off.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ GLUE_DATABASE: 'NONE', JOB_MACHINE_ARN: Match.anyValue() }),
      },
    })
  })
})
