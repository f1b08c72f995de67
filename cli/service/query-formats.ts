/** In which form a query's result is written. */
export const queryFormats = ['table', 'csv', 'json', 'jsonl', 'parquet'] as const
export type QueryFormat = (typeof queryFormats)[number]

/** The format that the name of a file asks for, also before `.gz`, which compresses it. */
export const formatOfName = (path: string): { format: QueryFormat | undefined; gzip: boolean } => {
  const plain = path.replace(/\.gz$/i, '').toLowerCase()
  const format = queryFormats.find(each => each !== 'table' && plain.endsWith(`.${each}`))
  return { format, gzip: plain.length < path.length }
}
