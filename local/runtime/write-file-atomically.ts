import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'

/**
 * Writes a file so that a kill at any moment leaves the old content or the new one, never a part.
 *
 * `mode` defaults to 0600: what the runtime keeps is its owner's business. It does not wait for the disk itself (fsync):
 * the promise is about a killed process, not about a power cut.
 */
export const writeFileAtomically = async (path: string, content: string, mode = 0o600): Promise<void> => {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, content, { mode })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
