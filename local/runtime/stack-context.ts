const loopback = ['127.0.0.1', '::1', 'localhost']

/** Whether only this machine reaches what listens at the address. */
export const isLoopback = (bind: string): boolean => loopback.includes(bind)

/**
 * Extractions refuse addresses that are not on the public internet, for their configurations may come from anybody who
 * reaches the API. While only this machine does, its own addresses are the developer's, and the API to read is often one.
 */
export const stackContext = (bind: string, context: Readonly<Record<string, unknown>> = {}) => ({
  // AWS makes backups; a copy of the data directory is one here.
  context: { ...context, backupRetentionDays: 0 },
  // Nothing expires on one machine, so versions of deleted objects would fill its disk.
  defaults: { tableVersionDays: 0, ...(isLoopback(bind) && { extractorAllowedHosts: loopback }) },
})
