import type { LambdaClient } from '@aws-sdk/client-lambda'
import { host, type InvokeFunction } from './host.ts'

let client: LambdaClient | undefined

/** The client is loaded with the first call: most containers never make one. */
export const invokeFunction: InvokeFunction = async (functionName, event) => {
  const { invoke } = host()
  if (invoke) return invoke(functionName, event)
  const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda')
  client ??= new LambdaClient({})
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(event)) }),
  )
  const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString('utf8') || 'null')
  return FunctionError === undefined ? { answer } : { failure: answer }
}
