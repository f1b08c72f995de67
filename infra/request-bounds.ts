import type { CfnApi, CfnStage, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'

/** How much the API takes, and at which names. */
export interface RequestBounds {
  readonly perSecond: number
  readonly burst: number
  /** Whether the name that AWS makes answers nothing. */
  readonly isOnlyAtDomain: boolean
}

/**
 * The gateway refuses what is beyond with 429. Whoever has no token could otherwise take the account's functions with
 * requests that are only refused.
 */
export const boundRequests = (http: HttpApi, { perSecond, burst, isOnlyAtDomain }: RequestBounds): void => {
  const api = http.node.defaultChild as CfnApi // An HttpApi makes it.
  if (isOnlyAtDomain) api.disableExecuteApiEndpoint = true
  // Changed where it is: another stage could not be made beside it, for both would be named $default.
  const stage = http.defaultStage?.node.defaultChild as CfnStage // An HttpApi makes it, unless told not to.
  stage.defaultRouteSettings = { throttlingRateLimit: perSecond, throttlingBurstLimit: burst }
}
