import type { Attempt, Load, SharedLoad } from './model.ts'

export interface WrittenFile {
  readonly step: number
  readonly id: number
  readonly bytes: Buffer
}

export interface Change extends Attempt {
  readonly writer: string
}

/** A difference that shows at once, in a reply: what was answered must not be. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
}

const listIn = <Written>(lists: Map<string, Written[]>, name: string): Written[] => {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}

/** What the clients asked for in one phase, and what was acknowledged. Filled before each request, so no attempt is missed. */
export class Book {
  /** Prefix of all names of the phase. */
  readonly phase: number
  readonly #lists = {
    landFull: new Map<string, Load[]>(),
    landKeyed: new Map<string, Load[]>(),
    landAppend: new Map<string, Load[]>(),
    importFull: new Map<string, Load[]>(),
    importKeyed: new Map<string, Load[]>(),
    importAppend: new Map<string, Load[]>(),
    extraction: new Map<string, Load[]>(),
  }
  /** Loads of tables that several writers share: by object key, and by table for those through the API. */
  readonly sharedKeys = new Map<string, SharedLoad[]>()
  readonly sharedTable: SharedLoad[] = []
  readonly #changes = new Map<string, Change[]>()
  readonly #values = new Map<string, Attempt[]>()
  readonly events: Attempt[] = []
  readonly files: WrittenFile[] = []
  exports = 0

  constructor(phase: number) {
    this.phase = phase
  }

  /** Writes that were asked for, retries included, and exports. */
  get operations(): number {
    const lists = [...Object.values(this.#lists), this.#changes, this.#values]
    const attempts = lists.flatMap(list => [...list.values()]).flat().length
    const shared = [...this.sharedKeys.values(), this.sharedTable].flat().length
    return attempts + shared + this.events.length + this.files.length + this.exports
  }

  get bucket(): string {
    return `in.c-soak${this.phase}`
  }

  /** Loads by table, or by object key where the landing bucket is meant. */
  loads(kind: keyof Book['loadKinds']): Map<string, Load[]> {
    return this.#lists[kind]
  }

  get loadKinds() {
    return this.#lists
  }

  sharedLoadsOf(key: string): SharedLoad[] {
    return listIn(this.sharedKeys, key)
  }

  loadsOf(kind: keyof Book['loadKinds'], name: string): Load[] {
    return listIn(this.#lists[kind], name)
  }

  get changes(): ReadonlyMap<string, readonly Change[]> {
    return this.#changes
  }

  changesOf(configId: string): Change[] {
    return listIn(this.#changes, configId)
  }

  /** Single values by name: the rows of configurations, display names of tables. */
  get values(): ReadonlyMap<string, readonly Attempt[]> {
    return this.#values
  }

  valuesOf(name: string): Attempt[] {
    return listIn(this.#values, name)
  }
}

/** Notes an attempt before it is made; what comes back is told that it was acknowledged. */
export const note = <Written extends Attempt>(list: Written[], attempt: Written): Written => {
  list.push(attempt)
  return attempt
}
