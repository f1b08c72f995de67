/** One function of the template, ready to run. */
export interface FunctionDefinition {
  readonly name: string
  readonly arn: string
  readonly logicalId: string
  /** Absolute path of the asset. */
  readonly codeFolder: string
  /** Absolute path of `index.mjs` in the asset. */
  readonly modulePath: string
  /** The export that handles events. */
  readonly exportName: string
  readonly environment: Readonly<Record<string, string>>
  readonly roleArn: string
  readonly timeoutSeconds: number
  readonly memoryMiB: number
  /** Invocations that may be under way at a time; further ones are throttled. Undefined: as many as the account has left. */
  readonly reservedConcurrency?: number | undefined
  /** How many run side by side on this machine; further ones that are under way wait. */
  readonly concurrency: number
  /** It begins when no lighter function waits for a thread. */
  readonly isHeavy: boolean
}
