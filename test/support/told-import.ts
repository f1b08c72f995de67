import type { StepEvent } from '../../functions/lib/drive/step.ts'
import type { LandedObject } from '../../functions/lib/landed-object.ts'
import type { StartImportDependencies } from '../../functions/start-import/import-version.ts'
import { importStep } from '../../functions/start-import/start-import.ts'

type Range = { from: number; to: number }

/** What became of an event, in one word, whatever the machine does next. */
export interface ToldImport {
  outcome: string
  jobId?: number
  fileId?: number
  waitSeconds?: number
  ranges: readonly Range[]
  details?: unknown
}

/** The hook, whose answer is told by its outcome: asked to import (nothing more is given), to move parts, or to clean up. */
export const startImport = async (
  dependencies: StartImportDependencies,
  given: { event: LandedObject; execution: string; failure?: StepEvent['failure']; move?: Range },
): Promise<ToldImport> => {
  const { event, execution, failure, move: part } = given
  const { sequencer: _, ...input } = event
  const asked = { input, execution, since: dependencies.now(), state: null, job: null, stepsLeft: 1 }
  return told(await importStep({ ...asked, failure, part }, dependencies))
}

export const told = (answer: Awaited<ReturnType<typeof importStep>>): ToldImport =>
  wordsOf(answer) as ToldImport // Only what is moving has ranges.

const wordsOf = (answer: Awaited<ReturnType<typeof importStep>>): object => {
  if (answer === undefined) return { outcome: 'moved' }
  const { next, ...more } = answer
  switch (answer.next) {
    case 'each':
      return { outcome: 'moving', ranges: answer.parts }
    case 'again':
      return { outcome: 'busy', ...more }
    case 'failed':
      return { outcome: 'released', ...more }
    case 'done':
      return answer.output
    default:
      return { ...answer.output, waitSeconds: answer.waitSeconds }
  }
}
