import { createRandom, type Random, randomFrom } from '../support/random.ts'

/** How often each kind of step is drawn. */
const weights = {
  landFull: 3,
  landAppend: 3,
  landKeyed: 5,
  landShared: 8,
  importFull: 2,
  importAppend: 5,
  importKeyed: 4,
  importShared: 8,
  rename: 2,
  configuration: 6,
  row: 5,
  event: 3,
  file: 3,
  export: 1,
  exportMachine: 0.4,
  extraction: 0.6,
} as const
export type StepKind = keyof typeof weights
export const stepKinds = Object.keys(weights) as StepKind[] // Object.keys widens the keys of the constant above to texts.

export interface Step {
  /** Counts through the whole run; a difference names it. */
  readonly number: number
  readonly kind: StepKind
  readonly client: number
  /** Rows of each file, or pages of an extraction. */
  readonly rows: number
  /** How often the same is done in a row: versions of a key, writes of a configuration. */
  readonly repeats: number
  /** Asked once only, whatever comes of it. */
  readonly isAbandoned: boolean
  /** Sent twice at once with one idempotency key. */
  readonly isDoubled: boolean
  readonly seed: number
}

/** An end of the process: `kill -9`, or SIGTERM, every few seconds. `at` says whether it comes while it works or while it starts. */
export interface Stop {
  readonly signal: 'SIGKILL' | 'SIGTERM'
  readonly at: 'work' | 'start'
  readonly afterMs: number
}

export interface Phase {
  readonly number: number
  /** One list per client, done one after the other; the clients work side by side. */
  readonly steps: readonly (readonly Step[])[]
  readonly stops: readonly Stop[]
}

export interface ScheduleOptions {
  readonly clients: number
  readonly stepsPerClient: number
  readonly stops: number
}

export const usualSchedule: ScheduleOptions = { clients: 8, stepsPerClient: 4, stops: 8 }

/** The phases of a run, without an end. The same seed gives the same phases; a phase does not depend on those before it. */
export const phaseOf = (
  seed: number,
  phase: number,
  { clients, stepsPerClient, stops }: ScheduleOptions = usualSchedule,
): Phase => {
  // Independent numbers for each phase of a seed.
  const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(phase + 1, 0xc2b2ae35)
  const random = createRandom(randomFrom(mixed))
  const first = phase * clients * stepsPerClient
  return {
    number: phase,
    steps: Array.from({ length: clients }, (_, client) =>
      Array.from({ length: stepsPerClient }, (_, index) =>
        drawStep(random, first + client * stepsPerClient + index + 1, client),
      ),
    ),
    stops: Array.from({ length: stops }, () => drawStop(random)),
  }
}

const drawStep = (random: Random, number: number, client: number): Step => ({
  number,
  kind: drawKind(random),
  client,
  rows: random.between(1, 8),
  repeats: random.between(1, 4),
  isAbandoned: random.next() < 0.1,
  isDoubled: random.next() < 0.6,
  seed: random.between(0, 2 ** 31),
})

const drawKind = (random: Random): StepKind => {
  const total = stepKinds.reduce((sum, kind) => sum + weights[kind], 0)
  let rest = random.next() * total
  for (const kind of stepKinds) {
    rest -= weights[kind]
    if (rest < 0) return kind
  }
  return 'landKeyed'
}

const drawStop = (random: Random): Stop => {
  const at = random.next() < 0.25 ? 'start' : 'work'
  return {
    signal: random.next() < 0.2 ? 'SIGTERM' : 'SIGKILL',
    at,
    afterMs: at === 'start' ? random.between(50, 2_500) : random.between(3_000, 8_000),
  }
}
