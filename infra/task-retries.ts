import { Duration } from 'aws-cdk-lib'
import { JitterType, type RetryProps, type TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions'

/** The same call may work later: what our functions call transient, and Lambda's own hiccups. */
const TRANSIENT: RetryProps = {
  errors: [
    'TransientError',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.TooManyRequestsException',
    'Lambda.ClientExecutionTimeoutException',
  ],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.minutes(2),
  jitterStrategy: JitterType.FULL,
  maxAttempts: 8, // About ten minutes: longer than a deployment or a failover of the service.
}

/** The function died in the middle. Every step is idempotent, so it may run again; twice is no accident any more. */
const DIED: RetryProps = {
  errors: ['Sandbox.Timedout', 'Runtime.ExitError', 'States.Timeout'],
  interval: Duration.seconds(5),
  backoffRate: 2,
  maxAttempts: 2,
}

/**
 * Retries a step that runs one of our functions. A `UserError` is not retried: the same input would fail again.
 * Neither is an error without a name of ours: it is a bug, and repeating it helps nobody.
 */
export const withRetries = <Task extends TaskStateBase>(task: Task): Task => {
  task.addRetry(TRANSIENT)
  task.addRetry(DIED)
  return task
}
