import { expect, it } from 'vitest'
import { synthesiseStack } from '#support/synthesise-stack.ts'

it('the gateway takes a bounded number of requests', () => {
  synthesiseStack().hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    StageName: '$default',
    DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
  })
})

it('the dashboard’s name has the region, because the names are global in an account', () => {
  const [dashboard] = Object.values(synthesiseStack().findResources('AWS::CloudWatch::Dashboard'))
  expect(JSON.stringify(dashboard?.['Properties'].DashboardName)).toContain('AWS::Region')
})
