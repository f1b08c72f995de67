import { open } from 'node:fs/promises'

/** Waits until the bytes of a file are on the disk, as those of every file that the embedded cloud acknowledges. */
export const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'r+')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
