import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InvokeFunction } from '#lib/cloud/host.ts'
import type { RoleKey } from '#lib/cloud/roles.ts'
import { region } from '../../s3/account.ts'
import type { Operations } from '../host/by-message.ts'
import { ServiceError } from '../service-error.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { InvocationError, invocationError } from './function-error.ts'
import { FunctionPool } from './function-pool.ts'
import { openLogFile } from './log-file.ts'
import { Lull } from './lull.ts'
import { OPERATOR } from './owner-of.ts'

type FunctionKey = Omit<RoleKey, 'expiration'>

interface FunctionsOptions {
  readonly definitions: readonly FunctionDefinition[]
  /** Base URL of S3. */
  readonly s3: string
  /** A key of a function's role, for as long as this process runs. */
  readonly keyOf: (name: string) => FunctionKey
  readonly dataDir: string
  /** What the processes of a function may ask of their host. */
  readonly hostOf: (name: string) => Promise<Operations>
}

/** Every function of the system, invoked by its name. */
export class Functions {
  readonly #pools: ReadonlyMap<string, FunctionPool>
  readonly #lull = new Lull()
  #isClosed = false

  constructor({ definitions, s3, keyOf, dataDir, hostOf }: FunctionsOptions) {
    const temporaryRoot = join(dataDir, 'tmp')
    // Leftovers of a killed process.
    rmSync(temporaryRoot, { recursive: true, force: true })
    this.#pools = new Map(
      definitions.map(definition => {
        const { name } = definition
        const pool = new FunctionPool({
          definition,
          onOutput: openLogFile(join(dataDir, 'logs', `${name}.log`)),
          temporaryRoot,
          lull: this.#lull,
          host: hostOf(name),
          environment: { ...functionEnvironment(definition, s3, dataDir), ...credentialsIn(keyOf(name)) },
        })
        return [name, pool]
      }),
    )
  }

  /**
   * Rejects with `InvocationError`, whose name is the error type that machines match.
   *
   * @param owner whose work it is; see {@link OwnerOf}
   */
  async invoke(name: string, event: unknown, owner = OPERATOR): Promise<unknown> {
    const pool = this.#pools.get(name)
    if (!pool) throw invocationError('Lambda.ResourceNotFoundException', `Function not found: ${name}`)
    try {
      return await pool.invoke(event, owner)
    } catch (error) {
      // Cut off or never begun: no verdict on the event, so it must not count as a refusal.
      if (this.#isClosed) throw new ServiceError('ServiceUnavailable', 'The runtime is shutting down', 503)
      throw error
    }
  }

  /** The same for another function: its answer, or Lambda's report of why it has none. */
  invocation(name: string, event: unknown): ReturnType<InvokeFunction> {
    return this.invoke(name, event).then(
      answer => ({ answer }),
      (error: unknown) => {
        if (!(error instanceof InvocationError)) throw error
        return { failure: error.details }
      },
    )
  }

  /** A function's whole environment. */
  environment(name: string): Readonly<Record<string, string>> {
    return this.#pools.get(name)?.environment ?? {}
  }

  /** Loads one container of each, one after the other. A bundle that does not load fails when it is invoked. */
  async warm(names: readonly string[]): Promise<void> {
    for (const name of names)
      if (!this.#isClosed)
        await this.#pools
          .get(name)
          ?.warm()
          .catch(() => {})
  }

  /** Tells running invocations to stop, waits up to `graceMs` for them, then ends every container. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    this.#lull.close()
    await Promise.all([...this.#pools.values()].map(pool => pool.close(graceMs)))
  }
}

/** Without the time of an end the SDK keeps them. */
const credentialsIn = ({ accessKeyId, secretAccessKey, sessionToken }: FunctionKey) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
})

/**
 * What a function finds in `process.env` besides its credentials: the system's variables and what Lambda sets.
 *
 * Nothing of this process's own environment is passed on: a function that needs a variable of somebody's shell would
 * fail in the account.
 */
const functionEnvironment = (
  { name, memoryMiB, codeFolder, environment }: FunctionDefinition,
  s3: string,
  dataDir: string,
): Record<string, string> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMiB),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  LAMBDA_TASK_ROOT: codeFolder,
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  // AWS_EXECUTION_ENV stays unset: without it powertools' tracer knows that there is no X-Ray daemon to talk to.
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
  // The developer's own profile must not give a function rights that its role lacks.
  AWS_CONFIG_FILE: join(dataDir, 'no-aws-config'),
  AWS_SHARED_CREDENTIALS_FILE: join(dataDir, 'no-aws-credentials'),
  AWS_EC2_METADATA_DISABLED: 'true',
  // Every service: what S3 does not offer is refused there instead of being called for real.
  AWS_ENDPOINT_URL: s3,
  AWS_ENDPOINT_URL_S3: s3,
  ...environment,
})
