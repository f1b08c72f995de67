/** Thrown by a step that cannot be done at this installation, with what it would need. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Rejects when the installation does not do what it should. Resolves to a sentence on what was seen. */
export type Step<Context> = (context: Context) => Promise<string>

const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`

/** Runs each step, also after one that failed, and prints a line for each. Resolves to how many failed. */
export const runSteps = async <Context>(
  steps: Readonly<Record<string, Step<Context>>>,
  context: Context,
  print: (line: string) => void,
): Promise<{ passed: number; failed: number; skipped: number }> => {
  const counted = { passed: 0, failed: 0, skipped: 0 }
  for (const [name, run] of Object.entries(steps)) {
    const start = performance.now()
    try {
      const sentence = await run(context)
      counted.passed += 1
      print(`ok       ${name} (${secondsSince(start)}): ${sentence}`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const isSkipped = error instanceof Skipped
      counted[isSkipped ? 'skipped' : 'failed'] += 1
      print(
        isSkipped
          ? `skipped  ${name}: ${reason}`
          : `FAILED   ${name} (${secondsSince(start)}): ${reason}${causeOf(error)}`,
      )
    }
  }
  return counted
}

const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''

/** Asks every second until there is an answer. Rejects with what was waited for. */
export const eventually = async <Result>(
  what: string,
  seconds: number,
  ask: () => Promise<Result | undefined>,
): Promise<Result> => {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > end) throw new Error(`${what} did not come in ${seconds} s`)
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
}
