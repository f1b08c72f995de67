/*
 * Where files lie in their bucket, by how long they live: nothing below a prefix is needed longer than that after it was
 * written. Constants only: infra/ imports this file for the lifecycle rules.
 */

/** Uploads are kept for fifteen days, exports for two, like the hosted service keeps them. */
export const uploadPrefix = { prefix: 'exp-15/', days: 15 } as const
export const exportPrefix = { prefix: 'exp-2/', days: 2 } as const

export const filePrefixes = [uploadPrefix, exportPrefix] as const

/** Files that are kept until they are deleted. */
export const permanentPrefix = 'permanent/'
