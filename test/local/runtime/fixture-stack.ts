import { join } from 'node:path'
import { functionResource, roleResource } from './fixture-assembly.ts'

const attribute = (logicalId: string, name = 'Arn') => ({ 'Fn::GetAtt': [logicalId, name] })
const concat = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] })
const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
}

/** A small stack with the wiring of the real one: bucket -> rule -> machine -> function -> table or dead letter. */
export const fixtureTemplate = {
  Resources: {
    Landing: {
      Type: 'AWS::S3::Bucket',
      Properties: { NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } } },
    },
    Other: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'other' } },
    Counts: table,
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: {} },
    Token: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: {
        GenerateSecretString: {
          SecretStringTemplate: '{"projectId":"7","tokenId":"1"}',
          GenerateStringKey: 'secret',
          PasswordLength: 40,
          ExcludePunctuation: true,
        },
      },
    },
    FunctionRole: roleResource(
      ['s3:GetObject', concat(attribute('Landing'), '/*')],
      [['dynamodb:PutItem', 'dynamodb:GetItem'], attribute('Counts')],
      ['secretsmanager:GetSecretValue', { Ref: 'Token' }],
    ),
    Count: functionResource('flow', {
      Environment: {
        Variables: {
          TABLE: { Ref: 'Counts' },
          SECRET: { Ref: 'Token' },
          API_URL: attribute('Api', 'ApiEndpoint'),
          PROJECT_PACKAGE: join(import.meta.dirname, '..', '..', '..', 'package.json'),
        },
      },
    }),
    MachineRole: roleResource(
      ['lambda:InvokeFunction', attribute('Count')],
      ['sqs:SendMessage', attribute('DeadLetters')],
    ),
    Machine: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        RoleArn: attribute('MachineRole'),
        DefinitionString: concat(
          '{"StartAt":"Count","States":{"Count":{"Type":"Task","Resource":"',
          attribute('Count'),
          '","Catch":[{"ErrorEquals":["States.ALL"],"Next":"Letter","ResultPath":"$.failure"}],"End":true},',
          '"Letter":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","Parameters":{"QueueUrl":"',
          { Ref: 'DeadLetters' },
          '","MessageBody":{"failure.$":"$.failure","execution.$":"$$.Execution.Name"}},"ResultPath":null,"Next":"Failed"},',
          '"Failed":{"Type":"Fail","ErrorPath":"$.failure.Error","CausePath":"$.failure.Cause"}}}',
        ),
      },
    },
    RuleRole: roleResource(['states:StartExecution', { Ref: 'Machine' }]),
    Landed: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: {
          source: ['aws.s3', 'test'],
          detail: {
            bucket: { name: [{ Ref: 'Landing' }] },
            object: { key: [{ 'anything-but': ['a.csv'] }] },
          },
        },
        Targets: [{ Id: 'T', Arn: { Ref: 'Machine' }, RoleArn: attribute('RuleRole') }],
      },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api', ProtocolType: 'HTTP' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: { Ref: 'Api' },
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: attribute('Count'),
        PayloadFormatVersion: '2.0',
      },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        ApiId: { Ref: 'Api' },
        RouteKey: '$default',
        Target: concat('integrations/', { Ref: 'Integration' }),
      },
    },
    Stage: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: { ApiId: { Ref: 'Api' }, StageName: '$default', AutoDeploy: true },
    },
  },
  Outputs: {
    LandingBucket: { Value: { Ref: 'Landing' } },
    ImportMachineArn: { Value: { Ref: 'Machine' } },
    StorageTokenSecret: { Value: { Ref: 'Token' } },
    DeadLetters: { Value: { Ref: 'DeadLetters' } },
    CountsTable: { Value: { Ref: 'Counts' } },
  },
}
