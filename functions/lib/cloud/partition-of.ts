/** The partition of an ARN: `aws`, `aws-cn`, `aws-us-gov`. */
export const partitionOf = (arn: string): string => arn.split(':')[1] ?? ''
