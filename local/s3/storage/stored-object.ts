import type { ChecksumAlgorithm, Checksums } from '../body/checksums.ts'

/** What a client said about an object besides its bytes; kept as JSON. */
export interface ObjectDescription {
  /** `content-type`, `cache-control` and friends, as sent: lower-case names, one byte per character. */
  headers: Record<string, string>
  /** User metadata without `x-amz-meta-`, as sent: lower-case names, one byte per character. */
  metadata: Record<string, string>
  /** On an upload: what its parts and the object will have. On a version: with the value. */
  checksum?: { algorithm: ChecksumAlgorithm; type: ChecksumType; value?: string }
}

/** FULL_OBJECT: over all bytes. COMPOSITE: over the checksums of the parts, written `<base64>-<number of parts>`. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

/** One version of an object, or a delete marker. */
export interface StoredVersion {
  holder: number
  key: string
  versionId: string
  sequence: number
  isLatest: boolean
  isDeleteMarker: boolean
  size: number
  /** Without quotes. */
  etag: string
  /** ms since 1970 */
  modified: number
  description: ObjectDescription
}

/** One part of an upload, or of an object that was made of parts (a plain PUT has one). */
export interface StoredPart {
  number: number
  /** Offset in the object; 0 while the upload is open. */
  start: number
  size: number
  /** MD5 in hex. */
  etag: string
  modified: number
  checksums: Checksums
}

/** A run of bytes in a data file. */
export interface Slice {
  file: string
  fileStart: number
  size: number
}

/** A file that a request has written and that is to be committed. */
export interface NewFile {
  name: string
  /** The bytes, for the database to hold. Default: they are synced in the data folder. */
  content?: Buffer
}

/** Bytes that have arrived and are verified, with what is known of them. `slices` is empty when there are none. */
export interface NewContent {
  size: number
  md5: string
  checksums: Checksums
  slices: Slice[]
  /** Those of its files that this request has written. */
  newFiles: NewFile[]
}
