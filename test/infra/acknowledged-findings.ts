interface Acknowledged {
  /** The finding of cdk-nag, with what it names in brackets. */
  readonly finding: RegExp
  /** Paths of the constructs that have it. */
  readonly at: RegExp
  readonly reason: string
  /** The one shape that may have it. Default: all. */
  readonly only?: string
}

/** Findings of cdk-nag (AwsSolutions) that are meant to be, each with its reason. Any other one fails the tests. */
export const acknowledgedFindings: readonly Acknowledged[] = [
  {
    finding: /^AwsSolutions-S1$/,
    at: /\/Resource$/,
    reason:
      'Access logs would double the requests to buckets that only the functions of the stack and addresses signed by ' +
      'them reach. Who needs the trace of each object switches on data events of CloudTrail for the account.',
  },
  {
    finding: /^AwsSolutions-SMG4$/,
    at: /\/Storage\/Token\/Resource$/,
    reason:
      'Clients hold the master token, so a rotation by the clock would cut them off. It is changed by hand (docs/deploy.md).',
  },
  {
    finding: /^AwsSolutions-SQS3$/,
    at: /\/DeadLetters\/Queue\/Resource$/,
    reason: 'It is a dead-letter queue itself. Its alarm and 14 days are the last resort.',
  },
  {
    finding: /^AwsSolutions-SF2$/,
    at: /\/Machine\/Resource$/,
    reason:
      'Tracing needs rights on all traces of the account. Every step is in the log of its machine, with the ids that ' +
      'the logs of functions have.',
  },
  {
    finding: /^AwsSolutions-APIG4$/,
    at: /\/Storage\/Http\/DefaultRoute\/Resource$/,
    reason: 'The function checks the token of every request: tokens and their rights are its own items.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>\/.*\*\]$/,
    at: /\/(DefaultPolicy|LookAfterExecutions)\/Resource$/,
    reason: 'Objects of one bucket below a prefix: their keys come into being as the stack runs.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>:\*\]$/,
    at: /\/Machine\/Role\/DefaultPolicy\/Resource$/,
    reason: 'Versions and aliases of one function.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:states:.*:execution:.*\*\]$/,
    at: /\/(DefaultPolicy|LookAfterExecutions|DistributedMapPolicy)\/Resource$/,
    reason: 'Executions of one machine: their names come into being as the stack runs.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:glue:.*:table\/millrace_\w+\/\*\]$/,
    at: /\/DefaultPolicy\/Resource$/,
    reason: 'Tables of the stack’s own database: they come into being as the stack runs.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    at: /\/Machine\/Role\/DefaultPolicy\/Resource$/,
    reason: 'The delivery of logs has no resources of its own (Step Functions Developer Guide, "Logging").',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    at: /\/(RunExtractor|RunJob|PreviewExtraction)Role\/DefaultPolicy\/Resource$/,
    reason: 'Network interfaces in the customer’s subnets: Lambda needs the rights before there are any.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    at: /Role\/DefaultPolicy\/Resource$/,
    only: 'traced',
    reason:
      'Traces have no resources (docs/decisions/0001-no-x-ray.md). The user asks for them with `tracing`.',
  },
]
