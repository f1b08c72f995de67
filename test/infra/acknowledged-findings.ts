interface Acknowledged {
  /** The finding of cdk-nag, with what it names in brackets; the id of a check of checkov. */
  readonly finding: RegExp
  /** Paths of the constructs that have it; for checkov types and logical ids. */
  readonly at: RegExp
  readonly reason: string
}

/** Findings of cdk-nag (AwsSolutions) that are meant to be, each with its reason. Any other one fails the tests. */
export const acknowledgedFindings: readonly Acknowledged[] = [
  {
    finding: /^AwsSolutions-S1$/,
    at: /\/Resource$/,
    reason:
      'Only the functions of the stack and addresses signed by them reach the buckets. Who needs the trace of each request ' +
      'extends the stack (docs/extend.md).',
  },
  {
    finding: /^AwsSolutions-SMG4$/,
    at: /\/Storage\/Token\/Resource$/,
    reason:
      'Clients hold the master token, so a rotation by the clock would cut them off after its overlap. Who runs the ' +
      'stack puts a new one when they are ready (docs/deploy.md), and nothing under way fails (test/functions/storage-api/master-token-rotation.test.ts).',
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
    at: /(\/(DefaultPolicy|LookAfterExecutions)|Role)\/Resource$/,
    reason: 'Objects of one bucket below a prefix: their keys come into being as the stack runs.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>:\*\]$/,
    at: /\/MachineRole\/Resource$/,
    reason: 'Versions and aliases of one function.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:states:.*:execution:.*\*\]$/,
    at: /(\/(DefaultPolicy|LookAfterExecutions|DistributedMapPolicy)|Role)\/Resource$/,
    reason: 'Executions of one machine: their names come into being as the stack runs.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    at: /\/MachineRole\/Resource$/,
    reason: 'The delivery of logs has no resources of its own (Step Functions Developer Guide, "Logging").',
  },
]

const FUNCTIONS = /^AWS::Lambda::Function\./

/** Findings of checkov (CloudFormation) that are meant to be. */
export const acknowledgedByCheckov: readonly Acknowledged[] = [
  {
    finding: /^CKV_AWS_115$/,
    at: FUNCTIONS,
    reason:
      'Reserved concurrency is taken from the account for good, and new accounts have ten. `sizes` sets it; ' +
      'the API has a brake of its own (infra/http-api.ts).',
  },
  {
    finding: /^CKV_AWS_116$/,
    at: FUNCTIONS,
    reason:
      'State machines call them and write dead letters. The clocks call the others each minute, and the next call makes up ' +
      'for one that failed; alarms sound when many do.',
  },
  {
    finding: /^CKV_AWS_117$/,
    at: FUNCTIONS,
    reason:
      'They reach services of AWS by TLS. Who has a network for extractions extends the stack (docs/extend.md).',
  },
  {
    finding: /^CKV_AWS_173$/,
    at: FUNCTIONS,
    reason:
      'Variables hold names and sizes, no secret, and rest under the key of Lambda (Developer Guide, "Securing environment variables").',
  },
  {
    finding: /^CKV_AWS_(119|149)$/,
    at: /^AWS::(DynamoDB::Table|SecretsManager::Secret)\./,
    reason:
      'They rest under keys of AWS, or under the customer’s with `dataKeyArn`, as the shape staging shows.',
  },
  {
    finding: /^CKV_AWS_158$/,
    at: /^AWS::Logs::LogGroup\./,
    reason:
      'Logs hold no data and no secrets, and rest under the key of CloudWatch. A key of one’s own would need a statement for ' +
      'the service of logs in its policy, which is not ours to change (docs/security.md).',
  },
  {
    finding: /^CKV_AWS_18$/,
    at: /^AWS::S3::Bucket\./,
    reason: 'Access logs are the customer’s choice, who extends the stack for them (docs/extend.md).',
  },
  {
    finding: /^CKV_AWS_21$/,
    at: /^AWS::S3::Bucket\.(StorageFiles|ExtractWork|ExportExports)/,
    reason:
      'What is in them can be made again, and goes after some days by itself. What cannot be is in the buckets of landed files and of tables, which keep versions.',
  },
  {
    finding: /^CKV_AWS_26$/,
    at: /^AWS::SNS::Topic\./,
    reason:
      'A mail of an alarm is text without data. The topic’s own key of AWS takes no messages of CloudWatch (CloudWatch User Guide, "Amazon SNS and alarms").',
  },
  {
    finding: /^CKV_AWS_27$/,
    at: /^AWS::SQS::Queue\./,
    reason: 'They are encrypted with the key of SQS (SqsManagedSseEnabled), which this check does not count.',
  },
]
