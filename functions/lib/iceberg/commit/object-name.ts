import { digestBytes } from '../../digests.ts'

/** A UUID that a content always gets (RFC 9562, version 8: made by the application). */
export const digestUuid = (content: Uint8Array | string): string => {
  const bytes = digestBytes(content).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const SAFE_BITS = 53

/**
 * A positive id of a snapshot. The same parts always give the same id. It stays below 2^53, so that readers in which a
 * number is a double keep it.
 */
export const digestSnapshotId = (...parts: readonly (string | bigint)[]): bigint => {
  const digest = digestBytes(parts.map(String).join('\n'))
  return BigInt.asUintN(SAFE_BITS, digest.readBigUInt64BE()) || 1n
}

const versionPattern = /\/v?(\d+)[^/]*\.metadata\.json$/

/** The number of the metadata file after this one: `00008` after `…/metadata/00007-….metadata.json`. */
export const nextVersion = (location: string | undefined): string => {
  const version = location === undefined ? -1 : Number(versionPattern.exec(location)?.[1] ?? 0)
  return String(version + 1).padStart(5, '0')
}
