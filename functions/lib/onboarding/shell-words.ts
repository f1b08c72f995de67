import { UserError } from '#lib/errors/errors.ts'

type Variables = Readonly<Record<string, string | undefined>>

interface Words {
  words: string[]
  /** What follows the command in the same line, from a pipe or a redirection on; empty when nothing does. */
  rest: string
}

const ansiEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
}

/** Pieces of a word, in the order in which they are tried. */
const piece =
  /'(?<single>[^']*)'|\$'(?<ansi>(?:[^'\\]|\\[\s\S])*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\\r?\n(?<joined>)|\\(?<escaped>[\s\S])|(?<blank>\s+)|(?<operator>[|;<>])|(?<variable>\$\{?[A-Za-z_]\w*\}?)|(?<plain>[\s\S])/y

/**
 * Splits a command as a POSIX shell does: quotes, escapes, continued lines, `$'…'`, and variables from `variables`. A `&` within
 * a word is part of an address that was pasted without quotes.
 *
 * @throws UserError `extractor.draft` for a quote that is not closed, and for a variable that is not set
 */
export const splitWords = (command: string, variables: Variables): Words => {
  const words: string[] = []
  let word: string | undefined
  piece.lastIndex = 0
  for (let match = piece.exec(command); match !== null; match = piece.exec(command)) {
    const { single, ansi, double, joined, escaped, blank, operator, variable, plain } = match.groups ?? {}
    if (operator !== undefined) return { words: closed(words, word), rest: command.slice(match.index).trim() }
    if (blank !== undefined) {
      words.push(...(word === undefined ? [] : [word]))
      word = undefined
      continue
    }
    if (joined !== undefined) continue
    if (plain === "'" || plain === '"')
      throw new UserError('extractor.draft', 'A quote of the command is not closed.')
    const text =
      single ??
      (ansi === undefined ? undefined : unescapeAnsi(ansi)) ??
      (double === undefined ? undefined : unquote(double, variables)) ??
      escaped ??
      (variable === undefined ? plain : valueOfVariable(variable, variables))
    word = (word ?? '') + (text ?? '')
  }
  return { words: closed(words, word), rest: '' }
}

const closed = (words: string[], word: string | undefined): string[] =>
  word === undefined ? words : [...words, word]

/** In double quotes a backslash escapes only what would mean something there. */
const unquote = (text: string, variables: Variables): string =>
  text.replace(
    /\\\r?\n|\\([$`"\\])|(\$\{?[A-Za-z_]\w*\}?)/g,
    (_match, escaped: string | undefined, variable: string | undefined) =>
      variable === undefined ? (escaped ?? '') : valueOfVariable(variable, variables),
  )

const unescapeAnsi = (text: string): string =>
  text.replace(
    /\\(?:u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|([\s\S]))/g,
    (_match, short?: string, long?: string, hex?: string, octal?: string, single = '') => {
      const code = short ?? long ?? hex
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      return ansiEscapes[single] ?? single
    },
  )

const valueOfVariable = (variable: string, variables: Variables): string => {
  const name = variable.replace(/[${}]/g, '')
  const value = variables[name]
  if (value !== undefined) return value
  throw new UserError('extractor.draft', `The command reads the variable ${name}, which is not set.`)
}
