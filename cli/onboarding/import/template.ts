import type { Json } from '#lib/extractor/tables/json-value.ts'

/** A part of a text of Jinja: literal, or what an expression reads. */
type TemplatePart =
  | { text: string }
  /** `config['a']['b']` is the root `config` with the path `a`, `b`. */
  | { root: string; keys: string[] }

/**
 * Reads the simple expressions of Jinja: a value by its path, in `a['b']`, `a.b`, `a.get('b')` and `a[-1]`; `or` and `default` keep the
 * first value. `undefined` for what only Jinja can work out: filters, conditions, sums.
 */
export const readTemplate = (text: string): TemplatePart[] | undefined => {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of text.matchAll(/\{\{-?\s*([\s\S]*?)\s*-?\}\}/g)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    const reference = readReference(match[1] ?? '')
    if (reference === undefined) return undefined
    parts.push(reference)
    end = match.index + match[0].length
  }
  if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end) })
  return text.includes('{%') ? undefined : parts
}

/** One value by its path, or a literal. */
const readReference = (expression: string): TemplatePart | undefined => {
  const [first = ''] = expression.split(/\s+or\s+|\s*\|\s*default\(/)
  const source = first.trim()
  const literal = /^'([^']*)'$|^"([^"]*)"$|^(-?\d+(?:\.\d+)?)$/.exec(source)
  if (literal !== null) return { text: literal[1] ?? literal[2] ?? literal[3] ?? '' }
  const root = /^[A-Za-z_]\w*/.exec(source)?.[0]
  if (root === undefined) return undefined
  const keys: string[] = []
  const step =
    /\[\s*'([^']*)'\s*\]|\[\s*"([^"]*)"\s*\]|\[\s*(-?\d+)\s*\]|\.get\(\s*['"]([^'"]*)['"]\s*(?:,[^()]*)?\)|\.([A-Za-z_]\w*)(?!\w*\()/y
  step.lastIndex = root.length
  while (step.lastIndex < source.length) {
    const found = step.exec(source)
    if (found === null) return undefined
    keys.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? found[5] ?? '')
  }
  return { root, keys }
}

/** The only part of a text that is nothing but one expression. */
export const singleReference = (value: Json | undefined): { root: string; keys: string[] } | undefined => {
  const parts = typeof value === 'string' ? readTemplate(value.trim()) : undefined
  const [only] = parts ?? []
  return parts?.length === 1 && only !== undefined && 'root' in only ? only : undefined
}
