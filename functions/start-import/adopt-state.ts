import type { VersionMark } from './key-state.ts'
import { identityOf, isOwn, type KeyWork } from './key-work.ts'
import { isLater } from './object-version.ts'

/**
 * Finds out how far version 0.1 had come with a key: it imported each version when its event came and kept no more than
 * a sequencer. What is older than its newest import is not imported now, since newer versions are loaded already.
 */
export const adoptState = async (work: KeyWork, versions: readonly VersionMark[]): Promise<void> => {
  const { dependencies, key, landed } = work
  for (const version of versions) {
    const { revision, jobId } = await dependencies.records.progress(identityOf(work, version))
    if (revision === 0 && jobId !== undefined) return key.change({ through: version })
  }
  const { lastSequencer } = key.state
  if (lastSequencer === undefined) return
  // The records of its imports have expired. Only the event's own version may be new.
  const place = versions.findIndex(version => isOwn(work, version))
  key.change({ through: versions[isLater(landed.sequencer, lastSequencer) ? place + 1 : place] })
}
