import { expect, it } from 'vitest'
import { synthesiseStack } from '#support/synthesise-stack.ts'

it('the gateway takes a bounded number of requests', () => {
  const stageWith = (rate: number, burst: number) => ({
    StageName: '$default',
    DefaultRouteSettings: { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst },
  })
  synthesiseStack().hasResourceProperties('AWS::ApiGatewayV2::Stage', stageWith(500, 1000))
  const given = { apiRequestsPerSecond: 50, apiBurst: 80 }
  synthesiseStack(given).hasResourceProperties('AWS::ApiGatewayV2::Stage', stageWith(50, 80))
})

it('the API answers at its own name only, where that is asked for', () => {
  const domain = {
    apiDomainName: 'storage.example.com',
    apiCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  }
  const closed = { DisableExecuteApiEndpoint: true }
  synthesiseStack({ ...domain, apiOnlyAtDomain: true }).hasResourceProperties(
    'AWS::ApiGatewayV2::Api',
    closed,
  )
  expect(() => synthesiseStack(domain).hasResourceProperties('AWS::ApiGatewayV2::Api', closed)).toThrow()
})

it('the dashboard’s name has the region, because the names are global in an account', () => {
  const [dashboard] = Object.values(synthesiseStack().findResources('AWS::CloudWatch::Dashboard'))
  expect(JSON.stringify(dashboard?.['Properties'].DashboardName)).toContain('AWS::Region')
})
