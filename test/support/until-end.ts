import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

const atEnd = (end: () => unknown): void => {
  const hook = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  hook(async () => void (await end()))
}

type Ending = { close: () => unknown } | { destroy: () => unknown }

/**
 * What a test starts, or what all tests of a file or a `describe` share: closed when that has ended, in the opposite order
 * of the starts. Hooks start nothing with this.
 */
export const untilEnd = async <Started extends Ending>(
  starting: Started | Promise<Started>,
): Promise<Started> => {
  const started = await starting
  atEnd(() => ('close' in started ? started.close() : started.destroy()))
  return started
}

/** A temporary folder that is removed in the same way. */
export const folderUntilEnd = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
