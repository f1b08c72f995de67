import type { CfnStage, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'

/** Requests that the API takes in a second on average, and at once. */
const THROTTLE = { throttlingRateLimit: 500, throttlingBurstLimit: 1000 }

/**
 * The gateway refuses what is beyond with 429. Whoever has no token could otherwise take the account's functions with
 * requests that are only refused.
 */
export const boundRequests = (http: HttpApi): void => {
  // Changed where it is: another stage could not be made beside it, for both would be named $default.
  const stage = http.defaultStage?.node.defaultChild as CfnStage // An HttpApi makes it, unless told not to.
  stage.defaultRouteSettings = THROTTLE
}
