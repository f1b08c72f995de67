/** What the slices of an export may be. */
export const exportedFileTypes = ['csv', 'parquet', 'json'] as const
