import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { StartImportDependencies } from './dependencies.ts'
import { importVersion, type OwnVersion } from './import-version.ts'
import { isWantedAgain } from './job-end.ts'
import { type HeldKey, type KeyState, nextAttempt, type Progress } from './key-records.ts'
import type { StartImportResult } from './start-import-result.ts'

/**
 * Imports an object whose bucket keeps no versions. Whatever event tells of it, what can be read is the newest content,
 * so contents are imported in order; one that was overwritten before anybody read it is lost to us.
 */
export const importContent = async (
  dependencies: StartImportDependencies,
  key: HeldKey,
  { versionId, source, target }: OwnVersion,
): Promise<StartImportResult> => {
  const { round } = key.state
  const saved = await dependencies.records.progress(versionId)
  const isAgain = isBack(key.state, versionId, saved) || (await isWantedAgain(dependencies, saved))
  const progress = isAgain
    ? nextAttempt(saved, round)
    : { ...saved, round: saved.jobId ? saved.round : round }
  const { fileId, jobId, reloadedVersions } = progress
  const isStarted = fileId !== undefined && jobId !== undefined
  const begun = isStarted
    ? { outcome: 'alreadyStarted' as const, fileId, jobId, waitSeconds: waitSecondsAt(0) }
    : await importVersion(dependencies, { source, target, versionId, progress })
  if (begun.outcome === 'moving') {
    return { ...begun, ranges: begun.ranges.map(range => ({ ...range, versionId: null })) }
  }
  if (key.state.content !== versionId) key.change({ content: versionId, round: round + 1 })
  return {
    outcome: isStarted ? 'alreadyStarted' : 'started',
    jobId: begun.jobId,
    fileId: begun.fileId,
    tableId: target.tableId,
    waitSeconds: begun.waitSeconds,
    reloadedVersions,
  }
}

/** The same content as once before, and another one in between: somebody has written it anew. */
const isBack = ({ content, round }: KeyState, versionId: string, progress: Progress): boolean =>
  progress.jobId !== undefined && content !== undefined && content !== versionId && progress.round !== round
