import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { isoTime, readMoment } from '../../values/functions/moments.ts'

export interface SavedProgress {
  /** As in the state. */
  finished: Record<string, Json>
  /** Begun in this run: `[job, part]`; with `true` those that were not read to their end. */
  begun: [string, string, true?][]
  isNew: boolean
}

/** Of one job: parent rows whose progress is kept. Those that were read longest ago are left out. */
const MAX_PARTS = 10_000

/**
 * Up to where each job has been read, by windows whose rows are written. A job with parent rows has one progress for each of
 * them: its parts, by name. A top-level job has one part, without a name.
 *
 * In the state a job is the time, or its parts by time: `{"orders": "2026-03-01T00:00:00Z"}`,
 * `{"lines": {"2026-03-01T00:00:00Z": ["order=1", "order=2"]}}`.
 */
export class WindowProgress {
  readonly #finished = new Map<string, Map<string, number>>()
  readonly #begun = new Map<string, Map<string, { isBroken: boolean }>>()
  readonly #dropped = new Map<string, number>()
  #isNew = false

  /** @param state of the last run; what cannot be read counts as absent */
  constructor(state: Readonly<Record<string, Json>>, saved?: SavedProgress | undefined) {
    for (const [job, parts] of Object.entries(saved?.finished ?? state)) this.#read(job, parts)
    for (const [job, part, isBroken = false] of saved?.begun ?? [])
      at(this.#begun, job).set(part, { isBroken })
    this.#isNew = saved?.isNew ?? false
  }

  #read(job: string, parts: Json): void {
    const byTime: [string, Json][] = isObject(parts)
      ? Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))
      : typeof parts === 'string'
        ? [[parts, ['']]]
        : []
    for (const [time, names] of byTime) {
      const moment = readMoment(time)
      if (moment === undefined || !Array.isArray(names)) continue
      for (const name of names) if (typeof name === 'string') at(this.#finished, job).set(name, moment)
    }
  }

  /**
   * Begins a part. `undefined` when this run has begun it before: another page may have the same parent row.
   *
   * @returns up to where an earlier run has read
   */
  begin(job: string, part: string): { finished: number | undefined } | undefined {
    if (this.#begun.get(job)?.has(part) === true) return undefined
    at(this.#begun, job).set(part, { isBroken: false })
    return { finished: this.#finished.get(job)?.get(part) }
  }

  finish(job: string, part: string, end: number): void {
    const parts = at(this.#finished, job)
    parts.delete(part) // the last one is the one read last
    parts.set(part, end)
    this.#isNew = true
  }

  /** A window is not read to its end: those after it cannot count, as progress has no gaps. */
  breakOff(job: string, part: string): void {
    at(this.#begun, job).set(part, { isBroken: true })
  }

  isBroken(job: string, part: string): boolean {
    return this.#begun.get(job)?.get(part)?.isBroken === true
  }

  /** Whether this run has finished a window. */
  get isNew(): boolean {
    return this.#isNew
  }

  all(): Record<string, Json> {
    return this.#format(MAX_PARTS)
  }

  #format(most: number): Record<string, Json> {
    return Object.fromEntries(
      [...this.#finished].map(([job, parts]) => {
        const surplus = Math.max(0, parts.size - most)
        if (surplus > 0) this.#dropped.set(job, surplus)
        const kept = [...parts].slice(surplus)
        const [only] = kept
        if (kept.length === 1 && only?.[0] === '') return [job, isoTime(only[1])]
        const byTime = Map.groupBy(kept, ([, moment]) => isoTime(moment))
        return [
          job,
          Object.fromEntries([...byTime].map(([time, group]) => [time, group.map(([name]) => name)])),
        ]
      }),
    )
  }

  /** What the author should know of a state that has become too large. */
  warnings(): string[] {
    return [...this.#dropped].map(
      ([job, count]) =>
        `The state keeps the progress of ${MAX_PARTS} parent rows of job '${job}'. ${count} more are read from their start again in the next run.`,
    )
  }

  save(): SavedProgress {
    return {
      finished: this.#format(Number.POSITIVE_INFINITY),
      begun: [...this.#begun].flatMap(([job, parts]) =>
        [...parts].map(([part, { isBroken }]): [string, string, true?] =>
          isBroken ? [job, part, true] : [job, part],
        ),
      ),
      isNew: this.#isNew,
    }
  }
}

const at = <Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> => {
  const found = maps.get(key) ?? new Map<string, Value>()
  maps.set(key, found)
  return found
}
