/** Which bytes of an object: `length` of them from `offset` on. */
interface ByteRange {
  offset: number
  length: number
}

/** The bytes of the object at a location (`s3://bucket/key`), or of a range of it. Rejects when there is none. */
export type ObjectReader = (location: string, range?: ByteRange) => Promise<Uint8Array>
