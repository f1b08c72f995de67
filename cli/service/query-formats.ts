/** In which form a query's result is written. */
export const queryFormats = ['table', 'csv', 'json', 'parquet'] as const
export type QueryFormat = (typeof queryFormats)[number]
