/** A word or a quoted text, perhaps of one field: `orders`, `"of 2026"`, `type:error`, `objectId:in.c-main.*`. */
export interface QueryTerm {
  field: string | undefined
  value: string
  /** In quotes, where `*` and `?` mean themselves. */
  isQuoted: boolean
}

type Filter<Item> = (item: Item) => boolean

interface Language<Item> {
  /** What a term finds. */
  termFilter: (term: QueryTerm) => Filter<Item>
  /** The error for a query that cannot be read, with the reason. */
  refuse: (reason: string) => Error
}

const MAX_LENGTH = 2_000
const MAX_DEPTH = 20

/**
 * Parses a query such as `type:error AND (component:"ex-generic-v2" OR orders) NOT event:storage.table*`.
 *
 * `AND` binds tighter than `OR` and may be left out. `&&`, `||`, `!` and `-` have the same meanings, `+` has none. A
 * backslash takes the next character as it is. Refuses a missing term or value, an open quotation or parenthesis, and
 * what the language has and nothing here offers: regular expressions, ranges, boosts.
 */
export const parseQuery = <Item>(query: string, { termFilter, refuse }: Language<Item>): Filter<Item> => {
  if (query.length > MAX_LENGTH) throw refuse(`it is longer than ${MAX_LENGTH} characters`)
  const tokens = tokenize(query, refuse)
  if (tokens.length === 0) return () => true
  let position = 0

  const peek = () => tokens[position]
  const take = () => tokens[position++]

  const anyOf = (depth: number): Filter<Item> => {
    if (depth > MAX_DEPTH) throw refuse(`it is nested more than ${MAX_DEPTH} deep`)
    const alternatives = [allOf(depth)]
    while (peek() === 'OR') {
      take()
      alternatives.push(allOf(depth))
    }
    return item => alternatives.some(matches => matches(item))
  }

  const allOf = (depth: number): Filter<Item> => {
    const parts = [single(depth)]
    for (let next = peek(); next !== undefined && next !== 'OR' && next !== ')'; next = peek()) {
      if (next === 'AND') take()
      parts.push(single(depth))
    }
    return item => parts.every(matches => matches(item))
  }

  const single = (depth: number): Filter<Item> => {
    let isNegated = false
    for (; peek() === 'NOT'; take()) isNegated = !isNegated
    const token = take()
    if (token === undefined || token === ')' || token === 'AND' || token === 'OR')
      throw refuse('a term is missing')
    const matches = token === '(' ? group(depth + 1) : termFilter(readTerm(token, refuse))
    return isNegated ? item => !matches(item) : matches
  }

  const group = (depth: number): Filter<Item> => {
    const inner = anyOf(depth)
    if (take() !== ')') throw refuse('a parenthesis is not closed')
    return inner
  }

  const filter = anyOf(0)
  if (position < tokens.length) throw refuse(`"${String(peek())}" is not expected`)
  return filter
}

const operators: Record<string, string> = { '&&': 'AND', '||': 'OR' }

/** Words and quoted texts with their fields, and the operators between them. */
const tokenize = (query: string, refuse: Language<unknown>['refuse']): string[] => {
  const tokens: string[] = []
  // A sign must precede a term. Within a word it is part of the word.
  const pattern =
    /\s+|(?<![^\s(])([-+!])(?=[^\s)])|([()])|((?:[\w.]+:)?"(?:[^"\\]|\\.)*")|((?:\\.|[^\s()"\\])+)/sy
  while (pattern.lastIndex < query.length) {
    const at = pattern.lastIndex
    const match = pattern.exec(query)
    if (!match) throw refuse(`it cannot be read from character ${at + 1}`)
    const sign = match[1]
    const token = match[2] ?? match[3] ?? match[4]
    if (sign === '-' || sign === '!') tokens.push('NOT')
    else if (token !== undefined) tokens.push(operators[token] ?? token)
  }
  return tokens
}

/** They have a meaning in the query language, which nothing here offers: `tags[]:a` is no search for tags. */
const ODD_CHARACTER = /[[\]{}:^~]|^[/*?]+$|^\//

const readTerm = (token: string, refuse: Language<unknown>['refuse']): QueryTerm => {
  const [, field, given = ''] = /^(?:([\w.]+):)?(.*)$/s.exec(token) ?? []
  const isQuoted = given.startsWith('"')
  const value = (isQuoted ? given.slice(1, -1) : given).replaceAll(/\\(.)/gs, '$1')
  if (value === '') throw refuse('a value is missing')
  const odd = isQuoted ? undefined : ODD_CHARACTER.exec(given.replaceAll(/\\./gs, ''))?.[0]
  if (odd !== undefined) throw refuse(`"${odd}" must be in quotes, or have a backslash in front of it`)
  return { field, value, isQuoted }
}

/**
 * Whether a text is that of a term, where `*` stands for any characters and `?` for one. It goes greedily from left to
 * right: for each star the time is linear, so no pattern can stall us.
 */
export const matchesPattern = (pattern: string, text: string): boolean => {
  let [at, star, resume, index] = [0, -1, 0, 0]
  while (index < text.length) {
    if (pattern[at] === '*') {
      star = at++
      resume = index
    } else if (pattern[at] === '?' || pattern[at] === text[index]) {
      at++
      index++
    } else if (star >= 0) {
      at = star + 1
      index = ++resume
    } else return false
  }
  return [...pattern.slice(at)].every(character => character === '*')
}
