/**
 * The value of a variable that a stack has nothing for: each variable is required, so that none is forgotten. S3 allows
 * no capitals, so no bucket has this name. Constants only: infra/ imports this file.
 */
export const NONE = 'NONE'
