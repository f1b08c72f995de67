/** What comes of it: rows that are not read, requests that are not the same, or nothing that a table shows. */
type Level = 'rows' | 'asks' | 'none'

/** Something of a foreign configuration that is not in ours. */
export interface Loss {
  /** Where it stands in the foreign configuration: keys joined by dots. */
  path: string
  why: string
  level: Level
}

/** Keys that say nothing of requests and rows. */
const harmless = new Set([
  ...[
    'description',
    'state_migrations',
    'lazy_read_pointer',
    '$parameters',
    'name',
    'dynamic_properties',
    'schema',
  ],
  ...['file_uploader', 'use_cache', 'additional_properties', 'stream_response', 'lazy'],
])

/** Collects what is not taken over. Each place is named once. */
export class Report {
  readonly #losses: Loss[] = []

  lost(path: string, why: string, level: Level = 'asks'): void {
    if (!this.#losses.some(loss => loss.path === path && loss.why === why))
      this.#losses.push({ path, why, level })
  }

  /** Keys of a section that nothing reads; `meant`: those that mean something, without it all do. */
  unread(
    section: Readonly<Record<string, unknown>>,
    path: string,
    read: readonly string[],
    meant?: readonly string[],
  ): void {
    for (const [key, value] of Object.entries(section))
      if (!read.includes(key) && value !== null && value !== undefined)
        this.lost(
          `${path}.${key}`,
          'there is no key for it',
          harmless.has(key) || meant?.includes(key) === false ? 'none' : 'asks',
        )
  }

  get losses(): readonly Loss[] {
    return this.#losses
  }
}
