/** In place of the database's name where a stack has none. Constants only: infra/ imports this file. */
export const NO_GLUE_DATABASE = 'none'
