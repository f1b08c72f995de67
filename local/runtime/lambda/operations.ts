import { z } from 'zod'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'

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
      run: ({ name, event }) => functions.invoke(arnOf(name), event),
    }),
  }
}
