import { UserError } from '../../errors/errors.ts'

const ARE_TEXT = 'Cells are text: cast them, as in total::DOUBLE, or have their types detected.'
const TRY = 'TRY or TRY_CAST makes NULL of it.'

/** Kinds of what DuckDB says, how it begins, and what is said in its place: `$1` is a word of it. The first that fits counts. */
const MESSAGES: readonly (readonly [kind: RegExp, form: RegExp, said: string])[] = [
  [/./, /^Max expression depth/, 'The expressions are nested in too great a depth.'],
  [/Parser|Syntax/, /^syntax error at or near "([^"]*)"/, 'There is a syntax error at $1.'],
  [/Parser|Syntax/, /^(?:syntax error at end|unterminated)/, 'There is a syntax error: its end is missing.'],
  [/Binder/, /^Referenced table "([^"]+)"/, 'There is no table or alias $1 here.'],
  [/Binder/, /^(?:Referenced c|C)olumn "([^"]+)"/, 'There is no column $1 here, or it is not shown.'],
  [
    /Binder/,
    /^Table "[^"]+" does not have a column named "([^"]+)"/,
    'It has no column $1, or does not show it.',
  ],
  [
    /Binder/,
    /^Ambiguous reference to column name "([^"]+)"/,
    '$1 names several columns: write the table first.',
  ],
  [/Binder/, /^column "([^"]+)" must appear in the GROUP/, '$1 must stand in GROUP BY or in an aggregate.'],
  [
    /Binder/,
    /^(?:No|Could not).*? function .+? ['"](.+?)\(([^'"]*)\)['"]/,
    `$1 does not take ($2). ${ARE_TEXT}`,
  ],
  [
    /Binder/,
    /^Cannot (?:compare|mix) .* type (\w+) and (?:type )?(\w+)/,
    `$1 and $2 cannot be mixed. ${ARE_TEXT}`,
  ],
  [
    /Binder/,
    /^Cannot deduce template type/,
    `Values of several types stand where one is needed. ${ARE_TEXT}`,
  ],
  [/Binder/, /aggregate|window function/i, 'An aggregate or a window function stands where none can.'],
  [/Catalog/, /^(?:\w+ )+with name (\S+) does not exist/, 'There is no type, collation or function $1.'],
  [
    /Conversion|Mismatch/,
    /^.*(?: to |destination type )([\w[\]]+) when casting from source column (.+?)(?:\n+LINE .*)?$/s,
    `A value of $2 cannot be converted to $1: ${TRY}`,
  ],
  [
    /Conversion|Mismatch/,
    /^.*(?: to |destination type )([\w[\]]+)(?:\n+LINE .*)?$/s,
    `A value cannot be converted to $1: ${TRY}`,
  ],
  [/Out of Range/, /^/, `A number is out of the range of its type or function: ${TRY}`],
  [
    /Invalid Input/,
    /^More than one row/,
    'A subquery for one value has several rows: give it LIMIT 1 or an aggregate.',
  ],
  [/Invalid Input/, /^Malformed JSON/, `A text is no JSON: ${TRY}`],
  [
    /Invalid Input/,
    /^(?:missing|unexpected|bad|no argument|invalid|trailing)/,
    'A regular expression is wrong.',
  ],
  [/Invalid/, /^/, `A function does not take a value: ${TRY}`],
  [/Conversion|Mismatch/, /^/, `A value cannot be converted: ${TRY}`],
  [/^(?!IO$|Out of Memory$|$)/, /^/, 'The engine does not offer this: write it in another way.'],
]

const TYPE =
  /^(?:(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|INTEGER)(?:\d+|_LITERAL)?|BOOL(?:EAN)?|VARCHAR|STRING_LITERAL|DATE|TIME|TIMESTAMP|INTERVAL|FLOAT|DOUBLE|DECIMAL|UUID|BLOB|BIT|JSON)(?:\[\])*$/

/**
 * What is wrong with a query that the engine refused, in words of ours. Its own messages may hold cells, paths and statements of ours: of those
 * only types go on, and names that stand in the query. Undefined: it is no matter of the query.
 */
export const refusedByEngine = (cause: Error, sql: string): UserError | undefined => {
  // A message may hold a whole cell; what is looked for stands at its beginning or its end.
  const short = cause.message.replace(/^([\s\S]{2000})[\s\S]+([\s\S]{2000})$/, '$1$2')
  const [, kind = '', message = ''] = /^(\w[\w ]*) Error: ([\s\S]*)$/.exec(short) ?? []
  const written = sql.toLowerCase()
  const known = (word: string): string => {
    if (TYPE.test(word)) return word
    return word !== '' && word.length <= 100 && written.includes(word.toLowerCase())
      ? JSON.stringify(word)
      : '…'
  }
  for (const [kinds, form, said] of MESSAGES) {
    const found = kinds.test(kind) ? form.exec(message) : null
    if (!found) continue
    const words = (group: string): string => (found[Number(group)] ?? '').split(', ').map(known).join(', ')
    return invalidQuery(
      said.replace(/\$(\d)/g, (_, group) => words(group)),
      cause,
    )
  }
  return undefined
}

export const invalidQuery = (message: string, cause?: unknown): UserError =>
  new UserError('storage.query.invalid', message, { cause })
