/** Prefix of long documents in the tables bucket. Constants only: infra/ imports this file for its grants. */
export const documentPrefix = 'documents/'
