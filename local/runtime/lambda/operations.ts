import { z } from 'zod'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { THROTTLED } from './function-error.ts'

interface InvokableFunctions {
  /** By name. */
  arnOf(name: string): string | undefined
  invoke(arn: string, event: unknown): Promise<unknown>
}

/** Invocations that wait for their result (Lambda Developer Guide, "Invoking a function synchronously"). */
export const lambdaOperations = (functions: InvokableFunctions): Operations => {
  const arnOf = (name: string): string => {
    const arn = functions.arnOf(name)
    if (arn === undefined)
      throw new ServiceError('ResourceNotFoundException', `Function not found: ${name}`, 404)
    return arn
  }
  return {
    'AWSLambda.Invoke': operation({
      action: 'lambda:InvokeFunction',
      input: z.object({ name: z.string(), event: z.unknown() }),
      resource: ({ name }) => arnOf(name),
      run: async ({ name, event }) => {
        try {
          return await functions.invoke(arnOf(name), event)
        } catch (error) {
          const isThrottled = error instanceof Error && error.name === THROTTLED
          throw isThrottled ? new ServiceError('TooManyRequestsException', error.message, 429) : error
        }
      },
    }),
  }
}
