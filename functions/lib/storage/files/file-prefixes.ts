/*
 * Prefixes of files in their bucket, by lifetime: an object below a prefix is not needed any longer after that time.
 * Constants only: infra/ imports this file for the lifecycle rules.
 */

/** Uploads are kept for fifteen days, exports for two, as in the hosted service. */
export const uploadPrefix = { prefix: 'exp-15/', days: 15 } as const
export const exportPrefix = { prefix: 'exp-2/', days: 2 } as const

export const filePrefixes = [uploadPrefix, exportPrefix] as const

/** Files that are kept until they are deleted. */
export const permanentPrefix = 'permanent/'
