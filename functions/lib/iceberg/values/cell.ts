/**
 * One value of a table, as tests and adoption compare them: whole numbers of 64 bits as `bigint`; decimals as text with
 * all digits of their scale; dates and times as ISO 8601 text, timestamps with microseconds and, when they have a zone,
 * in UTC with `Z`; binary values as hex.
 */
export type Cell = string | number | bigint | boolean | null
