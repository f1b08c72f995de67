/**
 * The inside of one "container": loads a function's bundle once and runs one invocation at a time.
 *
 * It is a process whose `process.env` is the function's environment and nothing else.
 */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { giveHost } from '#lib/cloud/host.ts'
import { arn } from '../../s3/account.ts'
import { connect, hostOver } from '../host/by-message.ts'
import { toFunctionError } from './function-error.ts'
import type { Invocation, Invoked, ListenOptions, Ports } from './protocol.ts'
import type { ServedApp } from './serve-app.ts'

// Nobody waits for what it does once its runtime has died.
process.on('disconnect', () => process.exit())

type Handler = (event: unknown, context: unknown) => unknown

/** Keeps what was compiled once the process is idle. Node itself does so when a process ends by itself, and ours are ended. */
const keepingCompiled = setTimeout(flushCompileCache, 1_000).unref()
let bundle: Promise<Record<string, unknown>> | undefined
const load = () => {
  const [, , codeFolder = ''] = process.argv
  bundle ??= import(pathToFileURL(join(codeFolder, 'index.mjs')).href)
  return bundle
}

/** Ends the invocation that is under way. */
let answerWith: (invoked: Invoked) => void = () => {}
process.on('uncaughtException', thrown => {
  console.error(thrown)
  const { errorType, errorMessage: message, trace } = toFunctionError(thrown)
  const error = { errorType: 'Runtime.ExitError', errorMessage: `Uncaught ${errorType}: ${message}`, trace }
  answerWith({ error, isLast: true })
  setImmediate(() => process.disconnect())
})

const invoke = (eventJson: string, invocation: Invocation): Promise<Invoked> =>
  new Promise(resolve => {
    answerWith = resolve
    void handled(eventJson, invocation).then(resolve)
  })

const handled = async (eventJson: string, invocation: Invocation): Promise<Invoked> => {
  try {
    const { handler } = await load()
    if (typeof handler !== 'function')
      throw Object.assign(new Error('index.handler is undefined or not exported'), {
        name: 'Runtime.HandlerNotFound',
      })
    const event: unknown = JSON.parse(eventJson)
    const result = await (handler as Handler)(event, contextOf(invocation))
    return { resultJson: JSON.stringify(result) ?? 'null' }
  } catch (error) {
    return { error: toFunctionError(error) }
  } finally {
    keepingCompiled.refresh()
  }
}

/** Lambda Developer Guide, "Using the Lambda context object to retrieve Node.js function information". */
const contextOf = ({ deadline, awsRequestId }: Invocation) => ({
  awsRequestId,
  functionName: process.env['AWS_LAMBDA_FUNCTION_NAME'],
  invokedFunctionArn: arn('lambda', `function:${process.env['AWS_LAMBDA_FUNCTION_NAME']}`),
  memoryLimitInMB: process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
  logGroupName: process.env['AWS_LAMBDA_LOG_GROUP_NAME'],
  logStreamName: process.env['AWS_LAMBDA_LOG_STREAM_NAME'],
  functionVersion: '$LATEST',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
})

const readyToLoad = Promise.withResolvers<void>()
let served: ServedApp | undefined

/**
 * Listens before the bundle is loaded: the address is part of the environment that the bundle reads. Requests wait
 * until the runtime has sent that environment and says `load`.
 */
const serve = async (options: ListenOptions): Promise<Ports> => {
  // Few functions serve, and all load this file.
  const { serveApp } = await import('./serve-app.ts')
  const loaded = async () => {
    await readyToLoad.promise
    keepingCompiled.refresh()
    return load()
  }
  const { drain, ...ports } = await serveApp({ ...options, loaded })
  served = { drain }
  return ports
}

const operations = {
  invoke,
  serve,
  load: async (environment: Readonly<Record<string, string>>): Promise<void> => {
    Object.assign(process.env, environment)
    readyToLoad.resolve()
    await load()
  },
  /** Of the heap and of buffers. */
  memoryBytes: () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
  /** Who listens for this signal ends what it does, as in Lambda; the process itself goes on. */
  stop: () => void process.emit('SIGTERM'),
  /** Finishes the open requests and refuses new ones. */
  drain: (graceMs: number) => served?.drain(graceMs),
}

export type ProcessOperations = typeof operations

giveHost(hostOver(connect(process, operations as never).ask)) // Its container alone asks, with what they take.
