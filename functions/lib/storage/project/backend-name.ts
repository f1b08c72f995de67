/** What clients take the tables for: by it they choose forms of types and of SQL. The types of columns are those of this one. */
export const DEFAULT_BACKEND = 'snowflake'

/** The database in which clients look for the tables: `"project_1"."in.c-main"."orders"` in a query. */
export const databaseOf = (projectId: number): string => `project_${projectId}`
