import { hexDigest } from '../../digests.ts'
import type { Masker } from '../requests/masking/masker.ts'

/**
 * What sets the progress of an iteration apart from that of the others: a digest of its own keys, so that it stays when others
 * are added or removed. Secrets take no part; iterations that differ in nothing else are counted.
 */
export const iterationNames = (iterations: readonly unknown[] | undefined, masker: Masker): string[] => {
  const seen = new Map<string, number>()
  return (iterations ?? []).map(iteration => {
    const digest = hexDigest(JSON.stringify(masker.maskAll(iteration)), 12)
    const count = (seen.get(digest) ?? 0) + 1
    seen.set(digest, count)
    return count === 1 ? `@${digest}` : `@${digest}.${count}`
  })
}
