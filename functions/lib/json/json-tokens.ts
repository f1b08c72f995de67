/**
 * The tokens of a JSON document, each with its place: texts with their quotes, punctuation, and words such as `1.50` or `null`.
 *
 * The end of a text is looked for by hand. A regular expression notes for each letter where to go back to, and overflows after some
 * millions: a value may be longer, and a checkpoint holds whole bodies as texts.
 */
export function* jsonTokens(json: string): Generator<{ token: string; index: number }> {
  const next = /["{}[\]:,]|[^\s"{}[\]:,]+/g
  for (let found = next.exec(json); found !== null; found = next.exec(json)) {
    const { index } = found
    if (found[0] === '"') next.lastIndex = endOfText(json, index)
    yield { token: json.slice(index, next.lastIndex), index }
  }
}

const endOfText = (json: string, start: number): number => {
  for (let at = start + 1; at < json.length; at++) {
    const unit = json[at]
    if (unit === '"') return at + 1
    if (unit === '\\') at++
  }
  return json.length
}
