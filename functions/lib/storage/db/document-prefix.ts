/** Where long documents are kept in the tables bucket. Constants only: infra/ imports this file for its grants. */
export const documentPrefix = 'documents/'
