import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of the test's own, to be removed when the test is over. */
export const temporaryFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}
