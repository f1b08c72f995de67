import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { allow } from './allow.ts'

export interface PrivateNetwork {
  readonly subnetIds: readonly string[]
  readonly securityGroupIds: readonly string[]
}

/**
 * Runs a function in a network of the customer's. The network must lead to what the function calls, by a NAT
 * gateway or by endpoints (docs/deploy.md). By ids, not by look-up: synthesis needs no account.
 */
export const runInNetwork = (fn: LambdaFunction, { subnetIds, securityGroupIds }: PrivateNetwork): void => {
  // Lambda Developer Guide, "Required IAM permissions": none of these can be bound to a subnet.
  allow(
    fn,
    [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    ['*'],
  )
  const resource = fn.node.defaultChild as CfnFunction // A Function's default child is its CfnFunction.
  resource.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] }
}
