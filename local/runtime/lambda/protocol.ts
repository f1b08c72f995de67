/** Messages between the runtime and its workers. Plain data: each is copied between threads. */

import type { MessagePort } from 'node:worker_threads'
import type { ConnectionLimits } from '../../http/limited-server.ts'

export interface WorkerSettings {
  /** Absolute path of the function's bundle. */
  readonly codeFolder: string
}

/** Another thread answers at the other end of the port. */
export interface WorkerData extends WorkerSettings {
  readonly host: MessagePort
}

export interface InvocationContext {
  readonly awsRequestId: string
  readonly functionName: string
  readonly invokedFunctionArn: string
  readonly memoryLimitInMB: string
  readonly logGroupName: string
  readonly logStreamName: string
  /** Milliseconds since 1970 at which the invocation is cut off. */
  readonly deadline: number
}

/** A second port with TLS and HTTP/2. */
export interface TlsOptions {
  readonly name: string
  readonly port: number
  readonly certificate: string
  readonly key: string
}

export interface ListenOptions {
  readonly port: number
  readonly host: string
  readonly tls?: TlsOptions | undefined
  readonly limits: ConnectionLimits
}

export type ToWorker =
  | { readonly kind: 'invoke'; readonly eventJson: string; readonly context: InvocationContext }
  /** New credentials, under the names that the AWS SDK reads. It reads them again before the old ones expire. */
  | { readonly kind: 'environment'; readonly variables: Readonly<Record<string, string>> }
  /** Serve the bundle's `answer`. */
  | ({ readonly kind: 'serve' } & ListenOptions)
  | { readonly kind: 'load' }
  /** Finish the open requests, refuse new ones, and say `drained`. */
  | { readonly kind: 'drain'; readonly graceMs: number }

/** The error as Lambda reports it to a caller. */
export interface FunctionError {
  readonly errorType: string
  readonly errorMessage: string
  readonly trace: readonly string[]
}

export type FromWorker =
  | { readonly kind: 'result'; readonly resultJson: string }
  | { readonly kind: 'failed'; readonly error: FunctionError }
  | { readonly kind: 'listening'; readonly port: number; readonly tlsPort: number | undefined }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'drained' }
  /** The server could not listen; `code` is Node's, such as `EADDRINUSE`. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
