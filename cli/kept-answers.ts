import { copyFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Beside `out/state.json`, where the next run finds it whatever becomes of the state: tables and state do not depend on it. */
export const keptAnswersIn = (dataDir: string): string => join(dataDir, 'out', 'kept-answers')

/** Puts the answers that a run kept in the place of those before, whole or not at all. */
export const writeKeptAnswers = async (dataDir: string, file: string): Promise<void> => {
  const target = keptAnswersIn(dataDir)
  await copyFile(file, `${target}.part`)
  await rename(`${target}.part`, target)
}
