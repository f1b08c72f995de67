/** Things that follow each other, in groups of so many bytes and, by default, of any number: each is started by what does not fit. */
export const packGroups = <Thing>(
  things: readonly Thing[],
  bytesOf: (thing: Thing) => number,
  groupBytes: number,
  most = Number.POSITIVE_INFINITY,
): Thing[][] => {
  const groups: Thing[][] = []
  let bytes = 0
  for (const thing of things) {
    const last = groups.at(-1)
    bytes += bytesOf(thing)
    if (last && last.length < most && bytes <= groupBytes) last.push(thing)
    else {
      groups.push([thing])
      bytes = bytesOf(thing)
    }
  }
  return groups
}

/**
 * An execution has at most 25,000 events in its history (Step Functions Developer Guide, "Service quotas"), and each item
 * of a Map makes about seven of them; a load takes three Maps. So there are at most about twice as many groups: what is larger
 * has larger ones.
 */
const GROUPS = 400

/** The size of groups for so many bytes in all. */
export const groupBytesFor = (totalBytes: number, wantedBytes: number): number =>
  Math.max(wantedBytes, Math.ceil(totalBytes / GROUPS))
