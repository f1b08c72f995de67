import { urlEncode } from '../../values/php/form-encoding.ts'

/** A form in which a secret may stand in a text. */
export interface SecretForm {
  text: string
  /** Its longest run of letters and digits: no escape touches them, so without it the text is not worth undoing. */
  core: string
  /** Letters before and after it that hold the rest of its first and last byte. */
  edges: { before: number; after: number }
}

/** From `start` to `end`, in UTF-16 units; the end is outside. */
export interface Range {
  start: number
  end: number
}

/** Shorter ones have forms that stand in unrelated text by chance. */
const shortestCoded = 6
const shortestHex = 4

/**
 * A secret as it is, reversed, in hex, and in base64 at each of the three places that a byte has there: behind a user's name, say,
 * and in either alphabet. What is coded may have been escaped before.
 */
export const formsOf = (secret: string): SecretForm[] => {
  const whole = { before: 0, after: 0 }
  const forms = new Map<string, SecretForm['edges']>([[secret, whole]])
  const add = (text: string, edges = whole): void => {
    if (!forms.has(text)) forms.set(text, edges)
  }
  add(secret.toWellFormed())
  if (secret.length >= shortestCoded) add([...secret].reverse().join(''))
  for (const text of new Set([
    secret,
    secret.toWellFormed(),
    JSON.stringify(secret).slice(1, -1),
    urlEncode(secret),
  ])) {
    const bytes = Buffer.from(text)
    if (text.length >= shortestHex) {
      add(bytes.toString('hex'))
      add(bytes.toString('hex').toUpperCase())
    }
    if (text.length < shortestCoded) continue
    for (const before of [0, 1, 2]) {
      const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
      const certain = coded.slice(
        before === 0 ? 0 : before + 1,
        Math.floor(((before + bytes.length) * 8) / 6),
      )
      const edges = { before: before === 0 ? 0 : 1, after: (before + bytes.length) % 3 === 0 ? 0 : 1 }
      add(certain, edges)
      add(certain.replaceAll('+', '-').replaceAll('/', '_'), edges)
    }
  }
  return [...forms].map(([text, edges]) => ({ text, core: longestRun(text), edges }))
}

const longestRun = (text: string): string =>
  (text.match(/[A-Za-z0-9]+/g) ?? []).reduce(
    (longest, run) => (run.length > longest.length ? run : longest),
    '',
  )

/** How often a text may have been escaped since the secret was put into it. */
const maxEscapes = 3

/** By how much three escapes may lengthen a character: `\` to `%5C%5C%5C%5C` with two more `25` in each. */
export const MAX_ESCAPED_LENGTH = 32

/** Where secrets stand in a text, in order and without overlaps: as they are, or escaped for addresses, JSON or HTML up to three times. */
export const findSecrets = (text: string, forms: readonly SecretForm[]): Range[] => {
  const possible = forms.filter(({ core }) => text.includes(core))
  if (possible.length === 0) return []
  const seen = new Set([text])
  const found: Range[] = []
  let layers: Layer[] = [{ text, toText: ranges => ranges }]
  for (let depth = 0; layers.length > 0; depth++) {
    for (const layer of layers) {
      const places = withoutOverlaps(possible.flatMap(form => placesOf(form, layer.text)))
      for (const range of layer.toText(places)) found.push(range)
    }
    layers = depth === maxEscapes ? [] : layers.flatMap(layer => unescaped(layer, seen))
  }
  return withoutOverlaps(found)
}

const withoutOverlaps = (ranges: Range[]): Range[] => {
  const merged: Range[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end)
    else merged.push({ ...range })
  }
  return merged
}

const placesOf = ({ text: form, edges }: SecretForm, text: string): Range[] => {
  const places: Range[] = []
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length)) {
    const end = start + form.length
    // Very short secrets only as words of their own: else they would black out half of every message
    if (form.length < 4 && (isWord(text[start - 1]) || isWord(text[end]))) continue
    const before = edges.before === 1 && isBase64(text[start - 1]) ? 1 : 0
    const after = edges.after === 1 ? (/^[\w+/-]?={0,2}/.exec(text.slice(end, end + 3))?.[0].length ?? 0) : 0
    places.push({ start: start - before, end: end + after })
  }
  return places
}

const isWord = (character = ''): boolean => /[A-Za-z0-9]/.test(character)
const isBase64 = (character = ''): boolean => /[\w+/-]/.test(character)

/** A text with one kind of escapes undone. */
interface Layer {
  text: string
  /** Where parts of it stand in the text that was given; they are in order. */
  toText: (ranges: Range[]) => Range[]
}

const percent =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const short: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const ofPercent = (found: string): string => Buffer.from(found.replaceAll('%', ''), 'hex').toString()

const escapes: readonly { pattern: RegExp; undo: (found: string) => string }[] = [
  { pattern: percent, undo: ofPercent },
  // As forms have it
  {
    pattern: new RegExp(`${percent.source}|\\+`, 'gi'),
    undo: found => (found === '+' ? ' ' : ofPercent(found)),
  },
  {
    pattern: /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g,
    undo: found =>
      found[1] === 'u'
        ? String.fromCharCode(Number.parseInt(found.slice(2), 16))
        : (short[found.slice(1)] ?? found.slice(1)),
  },
  {
    pattern: /&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/gi,
    undo: found => {
      const name = found.slice(1, -1).toLowerCase()
      if (!name.startsWith('#')) return named[name] ?? found
      return String.fromCodePoint(
        name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)),
      )
    },
  },
]

const unescaped = (layer: Layer, seen: Set<string>): Layer[] =>
  escapes.flatMap(({ pattern, undo }) => {
    const text = layer.text.replace(pattern, undo)
    if (seen.has(text)) return []
    seen.add(text)
    return [{ text, toText: ranges => layer.toText(beforeUndoing(ranges, layer.text, pattern, undo)) }]
  })

/** Ranges of the text that undoing makes -> those of the text before. Escapes of which they hold a part belong to them. */
const beforeUndoing = (
  ranges: readonly Range[],
  text: string,
  pattern: RegExp,
  undo: (found: string) => string,
): Range[] => {
  if (ranges.length === 0) return []
  // Each end of a range with the first escape that is not wholly before it, in one walk
  const escaped = text.matchAll(pattern)
  let next = escaped.next()
  let shorter = 0 // by this the undone text is behind the other
  const move = (position: number, isEnd: boolean): number => {
    for (; !next.done; next = escaped.next()) {
      const { 0: found, index } = next.value
      const at = index - shorter
      const width = undo(found).length
      if (at >= position) break
      if (at + width > position) return isEnd ? index + found.length : index
      shorter += found.length - width
    }
    return position + shorter
  }
  return ranges.map(({ start, end }) => ({ start: move(start, false), end: move(end, true) }))
}
