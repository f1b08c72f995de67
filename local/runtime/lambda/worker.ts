/**
 * The inside of one "container": loads a function's bundle once and runs one invocation at a time.
 *
 * It runs in a worker thread whose `process.env` is the function's environment and nothing else.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { giveHost } from '#lib/cloud/host.ts'
import { hostOver } from '../host/by-message.ts'
import { keepCompiledCode } from './compiled-code.ts'
import { toFunctionError } from './function-error.ts'
import type { FromWorker, InvocationContext, ListenOptions, ToWorker, WorkerData } from './protocol.ts'
import type { ServedApp } from './serve-app.ts'

if (!parentPort) throw new Error('worker.ts runs only as a worker thread')
const port = parentPort
// The pool that starts this thread passes exactly these settings.
const settings = workerData as WorkerData

type Handler = (event: unknown, context: unknown) => unknown

giveHost(hostOver(settings.host))

const compiled = keepCompiledCode()
let bundle: Promise<Record<string, unknown>> | undefined
const load = () => {
  bundle ??= import(pathToFileURL(join(settings.codeFolder, 'index.mjs')).href)
  return bundle
}

const say = (message: FromWorker) => port.postMessage(message)

const invoke = async (eventJson: string, invocation: InvocationContext) => {
  try {
    const { handler } = await load()
    if (typeof handler !== 'function')
      throw Object.assign(new Error('index.handler is undefined or not exported'), {
        name: 'Runtime.HandlerNotFound',
      })
    const event: unknown = JSON.parse(eventJson)
    const result = await (handler as Handler)(event, contextOf(invocation))
    say({ kind: 'result', resultJson: JSON.stringify(result) ?? 'null' })
  } catch (error) {
    say({ kind: 'failed', error: toFunctionError(error) })
  }
  compiled.keepSoon()
}

/** Lambda Developer Guide, "Using the Lambda context object to retrieve Node.js function information". */
const contextOf = ({ deadline, ...facts }: InvocationContext) => ({
  ...facts,
  functionVersion: '$LATEST',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  done: noCallback,
  fail: noCallback,
  succeed: noCallback,
})

const noCallback = () => {
  throw new Error('The callback style of Lambda handlers is not offered: return a promise')
}

const readyToLoad = Promise.withResolvers<void>()
let served: Promise<ServedApp> | undefined

/**
 * Listens before the bundle is loaded: the address is part of the environment that the bundle reads. Requests wait
 * until the runtime has sent that environment and says `load`.
 */
const serve = async (options: ListenOptions): Promise<ServedApp> => {
  // Few functions serve, and all load this file.
  const { serveApp } = await import('./serve-app.ts')
  const loaded = async () => {
    await readyToLoad.promise
    compiled.keepSoon()
    return load()
  }
  return serveApp({ ...options, loaded, say })
}

const loadNow = async () => {
  readyToLoad.resolve()
  try {
    await load()
    say({ kind: 'loaded' })
  } catch (error) {
    say({ kind: 'failed', error: toFunctionError(error) })
  }
}

const drain = async (graceMs: number) => {
  await (await served)?.drain(graceMs)
  say({ kind: 'drained' })
}

// One listener for the whole life of the thread; the messages are ours (protocol.ts).
port.on('message', (message: ToWorker) => {
  if (message.kind === 'invoke') void invoke(message.eventJson, message.context)
  else if (message.kind === 'environment') Object.assign(process.env, message.variables)
  else if (message.kind === 'serve') served = serve(message)
  else if (message.kind === 'load') void loadNow()
  else void drain(message.graceMs)
})
