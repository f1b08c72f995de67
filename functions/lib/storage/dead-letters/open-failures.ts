/** How a piece of work ended: an import, a run, a job. */
export interface End {
  /** What it was about: a key of the landing bucket, a configuration, a job. */
  readonly subject: string
  /** Whose success mends it, and what a success mends: `anything`, `whole`, or one version of the subject alone. */
  readonly scope: string
  readonly failed: boolean
  /** Grows in the subject's own order: of versions in their bucket, of the starts of runs. Undefined: nobody knows it. */
  readonly place?: string | undefined
  /** ISO 8601. */
  readonly at: string
}

/** No version of the subject can be loaded as it is: whatever is loaded later mends it. */
export const ANYTHING = 'anything'
/** Each one replaces all that came before it. */
export const WHOLE = 'whole'
/** It is added to others, so that no other version has its rows. */
export const versionScope = (version: string): string => `version ${version}`

/**
 * The failures that nobody has mended, whatever the order in which the ends were told: of each subject and scope the last
 * one, unless a success that is not before it has mended it.
 */
export const openFailures = <E extends End>(ends: readonly E[]): E[] => {
  const bySubject = Map.groupBy(ends, ({ subject }) => subject)
  return ends.filter(end => end.failed && !bySubject.get(end.subject)?.some(other => isSettledBy(end, other)))
}

const isSettledBy = (failure: End, other: End): boolean =>
  other.failed
    ? isSameSeries(failure, other) && isAfter(other, failure)
    : isMendedBy(failure.scope, other.scope) && !isBefore(other, failure)

const isMendedBy = (failed: string, loaded: string): boolean =>
  loaded === WHOLE || loaded === failed || failed === ANYTHING

/** Failures are ordered by their places or by their times: by both, three of them could each come after another. */
const isSameSeries = (a: End, b: End): boolean =>
  a.scope === b.scope && (a.place === undefined) === (b.place === undefined)

const isBefore = (a: End, b: End): boolean =>
  a.place === undefined || b.place === undefined ? a.at < b.at : a.place < b.place

/** Of two failures of one series. One that was tried again comes after itself. */
export const isAfter = (a: End, b: End): boolean => isBefore(b, a) || (!isBefore(a, b) && a.at > b.at)
