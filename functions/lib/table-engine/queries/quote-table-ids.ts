/** `in.c-main.orders`, bare. Strings, comments and quoted names are passed over. */
const TOKEN =
  /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|(?<![\w.$-])(?<bare>(?:in|out)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)(?![\w.])/gi

/** The statement with the ids of its tables as names that DuckDB reads. */
export const quoteTableIds = (sql: string): string =>
  sql.replace(TOKEN, (text, ...rest) => {
    const { bare } = rest.at(-1) as { bare?: string } // The groups of the pattern.
    return bare === undefined ? text : `"${bare}"`
  })
