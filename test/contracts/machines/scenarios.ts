import { retries } from '#infra/system.ts'
import { randomFrom } from '#support/random.ts'

/** What a call of a state's task gives. */
export type Answer = { readonly result: unknown } | { readonly error: string }

/** What happens to one execution: by the names of states, call by call; then the error `Made.Up`. */
export type Answers = Readonly<Record<string, readonly Answer[]>>

const MOST_ANSWERS = 12
const MOST_REPEATS = 10

const errors = ['UserError', 'Made.Up', ...retries.flatMap(({ errors: [first = ''] }) => first)]

/**
 * Executions whose calls succeed and fail at random, and answer at random what a step may answer. Where a part may fail there is one,
 * since an interpreter may have begun the next.
 */
export const randomScenarios = (polls: boolean, count: number, seed: number): Answers[] => {
  const random = randomFrom(seed)
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T // None is empty.
  return Array.from({ length: count }, () => {
    const mayPartFail = random() < 0.5
    const answer = (): unknown => {
      const whole = { state: oneOf([null, 'text', { at: 1 }]), job: null, stepsLeft: oneOf([0, 1, 5]) }
      const waitSeconds = oneOf([0, 1])
      switch (oneOf(['again', 'again', 'each', 'poll', 'done', 'failed'])) {
        case 'each':
          return {
            next: 'each',
            parts: oneOf(mayPartFail ? [[], [1]] : [[], [1], [1, { two: 2 }]]),
            ...whole,
          }
        case 'poll':
          if (!polls) return { next: 'again', waitSeconds, ...whole }
          return { next: 'poll', jobId: 7, waitSeconds, ...oneOf([{}, { output: { fileId: 3 } }]), ...whole }
        case 'done':
          return { next: 'done', output: oneOf([null, 'text', { rows: 1 }]), ...whole }
        case 'failed':
          return {
            next: 'failed',
            failure: { code: 'Ours', message: 'm' },
            report: { errorMessage: 'm', details: oneOf([{}, { row: '1\'s "cell"' }]) },
            ...whole,
          }
        default:
          return { next: 'again', waitSeconds, ...whole }
      }
    }
    const poll = (): unknown =>
      oneOf([
        { isFinished: false, status: 'processing', waitSeconds: 0 },
        { isFinished: true, status: 'success', jobId: 7, results: { rows: 2 } },
        { isFinished: true, status: 'error', jobId: 7, error: { code: 'c', message: 'm' } },
      ])
    const calls = (of: () => unknown, mayFail = true): Answer[] =>
      Array.from({ length: Math.ceil(random() * MOST_ANSWERS) }, (): Answer[] =>
        !mayFail || random() < 0.6
          ? [{ result: of() }]
          : Array(Math.ceil(random() * MOST_REPEATS)).fill({ error: oneOf(errors) }),
      ).flat()
    return {
      Step: calls(answer),
      StepAfterFailure: calls(answer),
      Part: mayPartFail ? calls(() => null) : Array(MOST_ANSWERS * MOST_ANSWERS).fill({ result: null }),
      Poll: calls(poll),
    }
  })
}
