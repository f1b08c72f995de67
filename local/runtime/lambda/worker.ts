/**
 * The inside of one "container": loads a function's bundle once and runs one invocation at a time.
 *
 * It runs in a worker thread whose `process.env` is the function's environment and nothing else.
 */
import type { ServerResponse } from 'node:http'
import inspector from 'node:inspector'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { getRequestListener } from '@hono/node-server'
import type { TransientCode } from '#lib/errors/codes.ts'
import { createLimitedServer } from '../../http/limited-server.ts'
import { OpenRequests } from '../../http/open-requests.ts'
import { replaceAuthority } from '../../http/request-origin.ts'
import { enter, leave } from './concurrency-pool.ts'
import { toFunctionError } from './function-error.ts'
import type { FromWorker, InvocationContext, ListenOptions, ToWorker, WorkerSettings } from './protocol.ts'

if (!parentPort) throw new Error('worker.ts runs only as a worker thread')
const port = parentPort
// The pool that starts this thread passes exactly these settings.
const settings = workerData as WorkerSettings

type Handler = (event: unknown, context: unknown) => unknown
interface App {
  fetch(request: Request, ...rest: unknown[]): Promise<Response> | Response
}

let bundle: Promise<Record<string, unknown>> | undefined
const load = () => {
  bundle ??= importBundle()
  return bundle
}

const importBundle = (): Promise<Record<string, unknown>> => {
  if (settings.inspectorPort !== undefined) waitForDebugger(settings.inspectorPort)
  return import(pathToFileURL(settings.modulePath).href)
}

/** Blocks this thread until a debugger attaches, so that breakpoints work from the first line on. */
const waitForDebugger = (inspectorPort: number): void => {
  inspector.open(inspectorPort, '127.0.0.1')
  if (inspector.url() === undefined)
    throw new Error(
      `A debugger cannot attach at 127.0.0.1:${inspectorPort}: the port is in use. Choose another.`,
    )
  inspector.waitForDebugger()
}

const say = (message: FromWorker) => port.postMessage(message)

const invoke = async (eventJson: string, invocation: InvocationContext) => {
  try {
    const handler = (await load())[settings.exportName]
    if (typeof handler !== 'function')
      throw Object.assign(new Error(`index.${settings.exportName} is undefined or not exported`), {
        name: 'Runtime.HandlerNotFound',
      })
    const event: unknown = JSON.parse(eventJson)
    const result = await (handler as Handler)(event, contextOf(invocation))
    say({ kind: 'result', resultJson: JSON.stringify(result) ?? 'null' })
  } catch (error) {
    say({ kind: 'failed', error: toFunctionError(error) })
  }
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

const requests = new OpenRequests()
const readyToLoad = Promise.withResolvers<void>()

/**
 * Listens before the bundle is loaded: the address is part of the environment that the bundle reads. Requests wait
 * until the runtime has sent that environment and says `load`.
 */
const serve = ({ port: listenPort, host, limits, concurrency }: ListenOptions) => {
  const listener = getRequestListener(async (request, ...rest) => {
    await readyToLoad.promise
    const { app } = await load()
    if (!isApp(app)) throw new Error(`${settings.modulePath} does not export an app with fetch`)
    return app.fetch(request, ...rest)
  })
  // The app identifies the caller by a header, so the adapter may refuse a request without reading its body.
  const server = createLimitedServer((request, response) => {
    if (requests.isDraining) return refuseWhileStopping(response)
    if (concurrency) {
      if (!enter(concurrency)) return refuseThrottled(response)
      response.once('close', () => leave(concurrency))
    }
    requests.add(response)
    // As the gateway does, which accepts no request for another host.
    replaceAuthority(request)
    void listener(request, response)
  }, limits)
  server.on('error', error =>
    say({ kind: 'refused', code: 'code' in error ? String(error.code) : '', message: error.message }),
  )
  server.listen(listenPort, host, () => {
    const address = server.address()
    say({ kind: 'listening', port: typeof address === 'object' && address ? address.port : listenPort })
  })
}

const isApp = (value: unknown): value is App =>
  typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function'

const loadNow = async () => {
  readyToLoad.resolve()
  try {
    await load()
    say({ kind: 'loaded' })
  } catch (error) {
    say({ kind: 'failed', error: toFunctionError(error) })
  }
}

/** What the gateway answers when Lambda throttles the function: 503, and a text of its own. */
const refuseThrottled = (response: ServerResponse) => {
  response.writeHead(503, { 'content-type': 'application/json' })
  response.end('{"message":"Service Unavailable"}')
}

/** In the form of the API's own errors: clients show the message and try again after the restart. */
const refuseWhileStopping = (response: ServerResponse) => {
  const status = 503
  const code: TransientCode = 'service.stopping'
  const body = {
    error: 'The service is stopping. Try again in a moment.',
    code,
    exceptionId: code,
    status: 'error',
  }
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '5', connection: 'close' })
  response.end(JSON.stringify(body))
}

const drain = async (graceMs: number) => {
  await requests.drain(graceMs)
  say({ kind: 'drained' })
}

// One listener for the whole life of the thread; the messages are ours (protocol.ts).
port.on('message', (message: ToWorker) => {
  if (message.kind === 'invoke') void invoke(message.eventJson, message.context)
  else if (message.kind === 'environment') Object.assign(process.env, message.variables)
  else if (message.kind === 'serve') serve(message)
  else if (message.kind === 'load') void loadNow()
  else void drain(message.graceMs)
})
