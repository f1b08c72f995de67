import type { StartImportDependencies } from '../../functions/start-import/import-version.ts'
import { type StartImportEvent, startImport as startOne } from '../../functions/start-import/start-import.ts'

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

/** The hook, whose answer is told by its outcome. */
export const startImport = async (
  dependencies: StartImportDependencies,
  event: StartImportEvent,
): Promise<ToldImport> => told(await startOne(dependencies, event))

export const told = (answer: Awaited<ReturnType<typeof startOne>>): ToldImport =>
  wordsOf(answer) as ToldImport // Only what is moving has ranges.

const wordsOf = (answer: Awaited<ReturnType<typeof startOne>>): object => {
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
