import type { ConnectionLimits } from '../../http/limited-server.ts'

/** What a process is told of an invocation; it knows its function. */
export interface Invocation {
  readonly awsRequestId: string
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

/** Where a process listens. */
export interface Ports {
  readonly port: number
  readonly tlsPort: number | undefined
}

/** The error as Lambda reports it to a caller. */
export interface FunctionError {
  readonly errorType: string
  readonly errorMessage: string
  readonly trace: readonly string[]
}

export type Invoked =
  | { readonly resultJson: string }
  | {
      readonly error: FunctionError
      /** The process ends with it. */
      readonly isLast?: true
    }
