import { Duration } from 'aws-cdk-lib'
import { JitterType, type RetryProps, type TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions'

/** Errors that may pass: our `TransientError`, and Lambda's own. */
const TRANSIENT: RetryProps = {
  errors: [
    'TransientError',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.ClientExecutionTimeoutException',
  ],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxDelay: Duration.minutes(2),
  jitterStrategy: JitterType.FULL,
  // Six minutes at most and three on average, because of the jitter: longer than a deployment of the service.
  maxAttempts: 8,
}

/** The account, or the function's share of it, runs as many functions as it may: a matter of minutes when much lands at once. */
const THROTTLED: RetryProps = {
  errors: ['Lambda.TooManyRequestsException'],
  interval: Duration.seconds(1),
  backoffRate: 2,
  maxDelay: Duration.minutes(4),
  jitterStrategy: JitterType.FULL,
  // Waits of 1, 2, 4 and so on, up to 240 seconds: two hours at most, and one on average, because of the jitter.
  maxAttempts: 38,
}

/** The function died. Every step is idempotent, so it runs again, twice; dying a third time is no accident. */
const DIED: RetryProps = {
  errors: ['Sandbox.Timedout', 'Runtime.ExitError', 'Lambda.Unknown', 'States.Timeout'],
  interval: Duration.seconds(5),
  backoffRate: 2,
  maxAttempts: 2,
}

/**
 * Retries a step that runs one of our functions. A `UserError` is not retried: the same input would fail again.
 * Neither is an unknown error: it is a bug, and repeating does not help.
 */
export const withRetries = <Task extends TaskStateBase>(task: Task): Task => {
  task.addRetry(THROTTLED)
  task.addRetry(TRANSIENT)
  task.addRetry(DIED)
  return task
}
