import { z } from 'zod'
import { account, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

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
    ApiEndpoint: ({ endpoints }) => endpoints.api,
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
  attributes: {},
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
  attributes: {},
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
  attributes: {},
})

/** Whether a text names the gateway's host, which only AWS serves. */
export const isGatewayHost = (text: string) =>
  text.includes(`.execute-api.${account.region}.${account.urlSuffix}`)
