/** `in.c-main.orders`, bare or as one quoted name. Strings, comments and other quoted names are passed over. */
const TOKEN =
  /(?<skipped>'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/)|"(?<quoted>(?:[^"]|"")*)"|(?<![\w.$-])(?<bare>(?:in|out)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)(?![\w.])/gi

const TABLE_ID = /^(in|out)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** The statement with its tables as names that DuckDB reads, and which tables those are. */
export const findTables = (sql: string): { sql: string; tableIds: string[] } => {
  const tableIds = new Set<string>()
  const rewritten = sql.replace(TOKEN, (text, ...rest) => {
    const { quoted, bare } = rest.at(-1) as { quoted?: string; bare?: string } // The groups of the pattern.
    const tableId = bare ?? (quoted !== undefined && TABLE_ID.test(quoted) ? quoted : undefined)
    if (tableId === undefined) return text
    tableIds.add(tableId)
    return `"${tableId}"`
  })
  return { sql: rewritten, tableIds: [...tableIds] }
}
