import { z } from 'zod'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

/** Lambda quotas: all variables of a function, names and values. */
const largestEnvironmentBytes = 4096

const variables = z
  .record(z.string(), z.string())
  .refine(
    given =>
      Object.entries(given).reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0) <=
      largestEnvironmentBytes,
    `names and values together may have ${largestEnvironmentBytes} bytes`,
  )

export const lambdaFunction = resourceType({
  type: 'AWS::Lambda::Function',
  properties: z.strictObject({
    FunctionName: z.string().optional(),
    Code: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
    Handler: z.string().regex(/^index\.[A-Za-z_$][\w$]*$/, 'only a function exported by index.mjs'),
    Role: z.string(),
    // This process runs the bundle itself, and it is Node 24.
    Runtime: z.literal('nodejs24.x'),
    Environment: z.strictObject({ Variables: variables.default({}) }).optional(),
    Timeout: z.coerce.number().int().min(1).max(900).default(3),
    MemorySize: z.coerce.number().int().min(128).max(10_240).default(128),
    EphemeralStorage: z
      .strictObject({ Size: z.coerce.number().int().min(512).max(10_240) })
      .default({ Size: 512 }),
    ReservedConcurrentExecutions: z.coerce.number().int().min(0).optional(),
    PackageType: z.literal('Zip').optional(),
    Architectures: withoutMeaningHere('the bundle’s native bindings were chosen for this machine'),
    LoggingConfig: withoutMeaningHere('output goes to a log file of the function'),
    Description: withoutMeaningHere('it is text for the console'),
    KmsKeyArn: withoutMeaningHere('the environment never leaves this process'),
    RecursiveLoop: withoutMeaningHere('it concerns queues and topics as event sources'),
    Tags: tags,
  }),
  nameProperty: 'FunctionName',
  attributes: { Arn: ({ name }) => arn('lambda', `function:${name}`) },
})

export type FunctionProperties = z.infer<typeof lambdaFunction.properties>

/** Permissions to invoke a function. Here only rules, machines and the API of the same template invoke. */
export const lambdaPermission = resourceType({
  type: 'AWS::Lambda::Permission',
  properties: z.strictObject({
    Action: z.literal('lambda:InvokeFunction'),
    FunctionName: z.string(),
    Principal: z.enum(['apigateway.amazonaws.com', 'events.amazonaws.com', 'scheduler.amazonaws.com']),
    SourceArn: z.string().optional(),
    SourceAccount: z.string().optional(),
  }),
  ref: ({ logicalId }) => logicalId,
})

/** What becomes of an event of a rule or a schedule when the function fails. Here it is logged, and not sent again. */
export const eventInvokeConfig = resourceType({
  type: 'AWS::Lambda::EventInvokeConfig',
  properties: z.strictObject({
    FunctionName: z.string(),
    Qualifier: z.literal('$LATEST'),
    MaximumRetryAttempts: z.literal(0),
  }),
  ref: ({ logicalId }) => logicalId,
})

export const stateMachine = resourceType({
  type: 'AWS::StepFunctions::StateMachine',
  properties: z.strictObject({
    StateMachineName: z.string().optional(),
    StateMachineType: z.literal('STANDARD').optional(),
    DefinitionString: z.string(),
    RoleArn: z.string(),
    LoggingConfiguration: withoutMeaningHere('the record of each execution is a file in the data directory'),
    EncryptionConfiguration: withoutMeaningHere('records rest in the data directory'),
    Tags: tags,
  }),
  nameProperty: 'StateMachineName',
  ref: ({ name }) => arn('states', `stateMachine:${name}`),
  attributes: {
    Arn: ({ name }) => arn('states', `stateMachine:${name}`),
    Name: ({ name }) => name,
  },
})

export const httpApi = resourceType({
  type: 'AWS::ApiGatewayV2::Api',
  properties: z.strictObject({
    Name: z.string(),
    ProtocolType: z.literal('HTTP'),
    DisableExecuteApiEndpoint: z.literal(false).optional(),
    Description: withoutMeaningHere('it is text for the console'),
    Tags: tags,
  }),
  ref: ({ logicalId }) => logicalId.toLowerCase(),
  attributes: {
    ApiEndpoint: ({ apiUrl }) => apiUrl,
    ApiId: ({ logicalId }) => logicalId.toLowerCase(),
  },
})

export const httpApiIntegration = resourceType({
  type: 'AWS::ApiGatewayV2::Integration',
  properties: z.strictObject({
    ApiId: z.string(),
    IntegrationType: z.literal('AWS_PROXY'),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal('2.0'),
    IntegrationMethod: withoutMeaningHere('a function is always invoked the same way'),
    TimeoutInMillis: withoutMeaningHere('the function itself ends what takes too long'),
    Description: withoutMeaningHere('it is text for the console'),
  }),
  ref: ({ logicalId }) => logicalId.toLowerCase(),
})

export const httpApiRoute = resourceType({
  type: 'AWS::ApiGatewayV2::Route',
  properties: z.strictObject({
    ApiId: z.string(),
    // The function does the routing; the gateway must forward everything.
    RouteKey: z.enum(['$default', 'ANY /{proxy+}', 'ANY /']),
    Target: z.string(),
    AuthorizationType: z.literal('NONE').optional(),
  }),
  ref: ({ logicalId }) => logicalId.toLowerCase(),
})

export const httpApiStage = resourceType({
  type: 'AWS::ApiGatewayV2::Stage',
  properties: z.strictObject({
    ApiId: z.string(),
    StageName: z.literal('$default'),
    AutoDeploy: z.literal(true),
    AccessLogSettings: withoutMeaningHere('the function’s own log has each request'),
    DefaultRouteSettings: withoutMeaningHere('one machine throttles by itself'),
    Description: withoutMeaningHere('it is text for the console'),
    Tags: tags,
  }),
  ref: () => '$default',
})

/** Whether a text names the gateway's host, which only AWS serves. */
export const isGatewayHost = (text: string) =>
  text.includes(`.execute-api.${account.region}.${account.urlSuffix}`)
