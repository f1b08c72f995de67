import { type ConnectionLimits, usualLimits } from '../../http/limited-server.ts'
import { Container, type ContainerOptions } from '../lambda/container.ts'
import type { Ports, TlsOptions } from '../lambda/protocol.ts'

/** Pause before a restart, so that a process that keeps dying uses little processor time. */
const restartDelayMs = 1_000

interface ApiServerOptions extends Omit<ContainerOptions, 'environment'> {
  /** 0: any free port. */
  readonly port: number
  readonly bind: string
  readonly tls?: TlsOptions | undefined
  readonly log: (message: string) => void
  readonly limits?: ConnectionLimits
}

/**
 * The HTTP API: the gateway's events, and the `answer` that a function's bundle exports beside its handler, which
 * takes several at once. It has its own process, so that no other function waits for it.
 */
export class ApiServer {
  readonly ports: Ports
  readonly #options: ApiServerOptions
  #container: Container
  #environment: Readonly<Record<string, string>> | undefined
  #isClosed = false

  private constructor(options: ApiServerOptions, container: Container, ports: Ports) {
    this.#options = options
    this.#container = container
    this.ports = ports
    void this.#restartOnExit()
  }

  /** Opens the port. Requests wait until `load` has given the bundle its environment. Rejects when the port is taken. */
  static async listen(options: ApiServerOptions): Promise<ApiServer> {
    const container = await Container.start(withoutVariables(options))
    const { port, tls } = options
    try {
      return new ApiServer(options, container, await serve(container, options, { port, tlsPort: tls?.port }))
    } catch (error) {
      await container.terminate()
      throw error
    }
  }

  /** Loads the bundle in the function's environment. */
  async load(environment: Readonly<Record<string, string>>): Promise<void> {
    this.#environment = environment
    await this.#container.load(environment)
  }

  /** Refuses new requests and waits up to `graceMs` for the open ones. */
  async drain(graceMs: number): Promise<void> {
    await this.#container.drain(graceMs)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#container.terminate()
  }

  /** Replaces a process that died, on the same port, as Lambda replaces a container. */
  async #restartOnExit(): Promise<void> {
    for (;;) {
      await this.#container.exited
      if (this.#isClosed) return
      this.#options.log('the HTTP API’s process has ended; starting another')
      await new Promise(resolve => setTimeout(resolve, restartDelayMs).unref())
      if (this.#isClosed) return
      try {
        this.#container = await Container.start(withoutVariables(this.#options))
        await serve(this.#container, this.#options, this.ports)
        if (this.#environment) await this.#container.load(this.#environment)
      } catch (error) {
        this.#options.log(`the HTTP API could not be started again: ${String(error)}`)
        // The one that has ended, when a full disk does not even allow its folder: then the next round makes it.
        await this.#container.terminate()
      }
    }
  }
}

const serve = (
  container: Container,
  { bind: host, tls, limits = usualLimits }: ApiServerOptions,
  { port, tlsPort = 0 }: Ports,
): Promise<Ports> => container.serve({ port, host, tls: tls && { ...tls, port: tlsPort }, limits })

/** It gets them before it loads its bundle. */
const withoutVariables = (options: ApiServerOptions): ContainerOptions => ({
  ...options,
  environment: { TZ: ':UTC' },
})
