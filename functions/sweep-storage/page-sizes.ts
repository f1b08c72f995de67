/** How much one page takes at most. */
export interface PageSizes {
  /** Records of files. */
  files: number
  /** Keys of objects, which a page holds in memory: some hundred bytes each. */
  keys: number
  buckets: number
  /** Tables of the catalogue: healed, or dropped. Each takes a request or two. */
  catalog: number
}

/** A page of keys of tables reads the names of all tables once, so it is large. */
export const pageSizes: PageSizes = { files: 1_000, keys: 100_000, buckets: 50, catalog: 500 }
