import { rename, writeFile } from 'node:fs/promises'

/** Writes what may hold secrets: for its owner alone, and whole or not at all. */
export const writePrivately = async (file: string, content: string): Promise<void> => {
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, content, { mode: 0o600 })
  await rename(temporary, file)
}
