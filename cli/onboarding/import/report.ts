/** Something of a foreign configuration that is not in ours. */
export interface Loss {
  /** Where it stands in the foreign configuration: keys joined by dots. */
  path: string
  why: string
}

/** Collects what is not taken over. Each place is named once. */
export class Report {
  readonly #losses: Loss[] = []

  lost(path: string, why: string): void {
    if (!this.#losses.some(loss => loss.path === path && loss.why === why)) this.#losses.push({ path, why })
  }

  /** Keys of a section that nothing reads. */
  unread(section: Readonly<Record<string, unknown>>, path: string, read: readonly string[]): void {
    for (const [key, value] of Object.entries(section))
      if (!read.includes(key) && value !== null && value !== undefined)
        this.lost(`${path}.${key}`, 'there is no key for it')
  }

  get losses(): readonly Loss[] {
    return this.#losses
  }
}
