/** One thing in the template that the one-machine cloud would have to ignore. */
export interface Refusal {
  /** Logical id, type and path, such as `Landing (AWS::S3::Bucket) Properties.WebsiteConfiguration`. */
  readonly where: string
  readonly why: string
}

/**
 * The template needs something that the one-machine cloud cannot do.
 *
 * It is refused by name rather than ignored: what runs here must mean the same as what `cdk deploy` would create.
 */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError'
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    const lines = refusals.map(({ where, why }) => `- ${where}: ${why}`)
    super(`The one-machine cloud does not know this part of the template:\n${lines.join('\n')}`)
    this.refusals = refusals
  }
}

/** Refuses one thing at once. */
export const unsupported = (where: string, why: string) => new UnsupportedError([{ where, why }])
