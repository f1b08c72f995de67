import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'

type FileFilter = (file: FileRecord) => boolean

const MAX_LENGTH = 2_000
const MAX_DEPTH = 20

/** Searchable fields, each with the values to compare. */
const fields: Record<string, (file: FileRecord) => string[]> = {
  id: file => [String(file.id)],
  name: file => [file.name],
  tags: file => file.tags,
  runid: file => (file.runId === null ? file.runIds : [file.runId, ...file.runIds]),
  issliced: file => [String(file.isSliced)],
  isencrypted: file => [String(file.isEncrypted)],
  ispublic: file => [String(file.isPublic)],
  sizebytes: file => [String(file.sizeBytes)],
}

/**
 * Parses a file search: `tags:"a" AND tags:"b"`, `id:1`, `name:x*`, words in the name, `NOT`, `OR` and parentheses.
 * `&&`, `||`, `!` and `-` have the same meanings, `+` has none. `AND` binds tighter than `OR` and may be left out. `*`
 * stands for any characters, `?` for one.
 *
 * Error: 400 `query.syntax`.
 */
export const parseFileQuery = (query: string): FileFilter => {
  if (query.length > MAX_LENGTH) throw syntaxError(`it is longer than ${MAX_LENGTH} characters`)
  const tokens = tokenize(query)
  if (tokens.length === 0) return () => true
  let position = 0

  const peek = () => tokens[position]
  const take = () => tokens[position++]

  const anyOf = (depth: number): FileFilter => {
    if (depth > MAX_DEPTH) throw syntaxError(`it is nested more than ${MAX_DEPTH} deep`)
    const alternatives = [allOf(depth)]
    while (peek() === 'OR') {
      take()
      alternatives.push(allOf(depth))
    }
    return file => alternatives.some(matches => matches(file))
  }

  const allOf = (depth: number): FileFilter => {
    const parts = [single(depth)]
    for (let next = peek(); next !== undefined && next !== 'OR' && next !== ')'; next = peek()) {
      if (next === 'AND') take()
      parts.push(single(depth))
    }
    return file => parts.every(matches => matches(file))
  }

  const single = (depth: number): FileFilter => {
    let isNegated = false
    for (; peek() === 'NOT'; take()) isNegated = !isNegated
    const token = take()
    const matches = token === '(' ? group(depth + 1) : term(token)
    return isNegated ? file => !matches(file) : matches
  }

  const group = (depth: number): FileFilter => {
    const inner = anyOf(depth)
    if (take() !== ')') throw syntaxError('a parenthesis is not closed')
    return inner
  }

  const filter = anyOf(0)
  if (position < tokens.length) throw syntaxError(`"${String(peek())}" is not expected`)
  return filter
}

/** They have a meaning in the query language, which nothing here offers: `tags[]:a` is no search for tags. */
const ODD_CHARACTER = /[[\]{}:^~]|^[/*?]+$|^\//

const operators: Record<string, string> = { '&&': 'AND', '||': 'OR' }

/** Words and quoted texts with their fields, and the operators between them. */
const tokenize = (query: string): string[] => {
  const tokens: string[] = []
  // A sign must precede a term. Within a word it is part of the word.
  const pattern =
    /\s+|(?<![^\s(])([-+!])(?=[^\s)])|([()])|((?:[A-Za-z]+:)?"(?:[^"\\]|\\.)*")|((?:\\.|[^\s()"\\])+)/sy
  while (pattern.lastIndex < query.length) {
    const at = pattern.lastIndex
    const match = pattern.exec(query)
    if (!match) throw syntaxError(`it cannot be read from character ${at + 1}`)
    const sign = match[1]
    const token = match[2] ?? match[3] ?? match[4]
    if (sign === '-' || sign === '!') tokens.push('NOT')
    else if (token !== undefined) tokens.push(operators[token] ?? token)
  }
  return tokens
}

const term = (token: string | undefined): FileFilter => {
  if (token === undefined || token === ')' || token === 'AND' || token === 'OR')
    throw syntaxError('a term is missing')
  const [, name, value = ''] = /^(?:([A-Za-z]+):)?(.*)$/s.exec(token) ?? []
  const isQuoted = value.startsWith('"')
  const wanted = (isQuoted ? value.slice(1, -1) : value).replaceAll(/\\(.)/gs, '$1')
  if (wanted === '') throw syntaxError('a value is missing')
  const odd = isQuoted ? undefined : ODD_CHARACTER.exec(value.replaceAll(/\\./gs, ''))?.[0]
  if (odd !== undefined) throw syntaxError(`"${odd}" must be in quotes, or have a backslash in front of it`)
  if (name === undefined)
    return file => file.name.toLowerCase().includes(wanted.replaceAll(/[*?]/g, '').toLowerCase())
  const valuesOf = Object.hasOwn(fields, name.toLowerCase()) ? fields[name.toLowerCase()] : undefined
  if (!valuesOf)
    throw syntaxError(
      `there is no field "${name}"; there are id, name, tags, runId, isSliced, isEncrypted, isPublic and sizeBytes`,
    )
  const isMatch = isQuoted ? (found: string) => found === wanted : wildcard(wanted)
  return file => valuesOf(file).some(isMatch)
}

/** Matches `*` and `?` greedily from left to right. For each star the time is linear, so no pattern can stall us. */
const wildcard = (pattern: string) => {
  if (!/[*?]/.test(pattern)) return (text: string) => text === pattern
  return (text: string): boolean => {
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
}

const syntaxError = (reason: string) =>
  new UserError('query.syntax', `The query cannot be understood: ${reason}.`)
