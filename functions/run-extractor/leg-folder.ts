import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathInside } from '../lib/paths/path-inside.ts'

/** The folders of one row on the function's disk. */
export interface LegFolder {
  spool: string
  inputs: string
  outputs: string
  /** Says which checkpoint the spool stands at, for the next leg if it runs in this container. */
  leaveAt(checkpointKey: string): Promise<void>
  remove(): Promise<void>
}

/**
 * Opens the folder of a row. `isAsLeft`: the spool is as the leg that wrote `checkpointKey` left it here, so it need not
 * be fetched. From here on it counts as touched, until `leaveAt`: a leg that is killed leaves no spool to trust.
 */
export const openLegFolder = async (
  scratchFolder: string,
  name: string,
  checkpointKey: string | null,
): Promise<LegFolder & { isAsLeft: boolean }> => {
  const root = pathInside(scratchFolder, name)
  const mark = join(root, 'checkpoint')
  const spool = join(root, 'spool')
  const leftAt = await readFile(mark, 'utf8').catch(() => undefined)
  const isAsLeft = checkpointKey !== null && leftAt === checkpointKey
  await rm(mark, { force: true })
  if (!isAsLeft) await rm(root, { recursive: true, force: true })
  await mkdir(spool, { recursive: true })
  // One leg at a time runs in a container: what other runs left only takes room.
  for (const other of await readdir(scratchFolder))
    if (other !== name) await rm(pathInside(scratchFolder, other), { recursive: true, force: true })
  return {
    isAsLeft,
    spool,
    inputs: join(root, 'in', 'tables'),
    outputs: join(root, 'out', 'tables'),
    leaveAt: key => writeFile(mark, key),
    remove: () => rm(root, { recursive: true, force: true }),
  }
}
