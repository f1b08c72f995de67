/** One function of the template, ready to run. */
export interface FunctionDefinition {
  readonly name: string
  readonly arn: string
  readonly logicalId: string
  /** Absolute path of `index.mjs` in the asset. */
  readonly modulePath: string
  /** The export that handles events. */
  readonly exportName: string
  readonly environment: Readonly<Record<string, string>>
  readonly roleArn: string
  readonly timeoutSeconds: number
  readonly memoryMiB: number
  /** How many invocations may run side by side; further ones wait for their turn. */
  readonly concurrency: number
  /** Where a debugger attaches; the function waits for it. Undefined: nowhere. */
  readonly inspectorPort?: number
}
