/** The bytes of the object at a location (`s3://bucket/key`). Rejects when there is none. */
export type ObjectReader = (location: string) => Promise<Uint8Array>
