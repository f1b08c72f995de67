import { dirname, join } from 'node:path'
import { findRunningCloud, type RunningCloud } from '../../local/runtime/running-cloud.ts'
import { dataDirOf, type Shell } from '../shell/shell.ts'

/** The embedded cloud that runs on `MILLRACE_DATA_DIR`; without it on `.millrace` of this folder or of one above. */
export const findCloud = async (
  shell: Pick<Shell, 'environment' | 'workingFolder'>,
): Promise<{ cloud: RunningCloud | undefined; place: string }> => {
  const dataDir = dataDirOf(shell)
  if (shell.environment['MILLRACE_DATA_DIR'])
    return { cloud: await findRunningCloud(dataDir), place: dataDir }
  for (let folder = shell.workingFolder; ; folder = dirname(folder)) {
    const cloud = await findRunningCloud(join(folder, '.millrace'))
    if (cloud) return { cloud, place: join(folder, '.millrace') }
    if (folder === dirname(folder)) return { cloud: undefined, place: '.millrace, here or in a folder above' }
  }
}
