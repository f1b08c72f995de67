import { ResourcePolicy } from '../control/resource-policy.ts'
import { ServiceError } from '../control/service-error.ts'
import { topic, topicPolicy } from '../resources/messages.ts'
import type { Stack } from '../template/stack.ts'

interface Publisher {
  /** `cloudwatch.amazonaws.com` */
  readonly service: string
  readonly sourceArn: string
}

/** The topics of the stack. Their one subscriber is the log. */
export class Topics {
  readonly #policies: ReadonlyMap<string, ResourcePolicy>
  readonly #log: (line: string) => void

  constructor(stack: Stack, log: (line: string) => void) {
    const policies = stack.ofType(topicPolicy)
    this.#log = log
    this.#policies = new Map(
      stack.ofType(topic).map(({ arn }) => {
        const documents = policies.filter(({ properties }) => properties.Topics.includes(arn))
        return [arn, new ResourcePolicy(documents.map(({ properties }) => properties.PolicyDocument))]
      }),
    )
  }

  mayPublish(topicArn: string, { service, sourceArn }: Publisher): boolean {
    const request = { service, sourceArn, action: 'sns:Publish', resource: topicArn }
    return this.#policies.get(topicArn)?.allows(request) ?? false
  }

  /** Throws `AuthorizationErrorException` when the topic's policy does not let the publisher. */
  publish(topicArn: string, publisher: Publisher, message: string): void {
    if (!this.mayPublish(topicArn, publisher))
      throw new ServiceError(
        'AuthorizationErrorException',
        `${publisher.service} is not authorized to perform: SNS:Publish on resource: ${topicArn}`,
        403,
      )
    this.#log(`${topicArn.split(':').at(-1)}: ${message}`)
  }
}
