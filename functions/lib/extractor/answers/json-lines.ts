import type { Json } from '../tables/json-value.ts'
import { parseJson } from '../tables/parse-json.ts'
import { damagedAnswer, messageOf } from './answer-error.ts'
import { ITEM_BYTES } from './answer-limits.ts'

/**
 * A JSON value from each line; empty lines are left out.
 *
 * @throws UserError `extractor.response.damaged` with the number of the line
 */
export async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<Json> {
  let rest = ''
  let number = 0
  const read = (line: string): Json | undefined => {
    number++
    if (line.trim() === '') return undefined
    try {
      return parseJson(line)
    } catch (cause) {
      throw damagedAnswer('JSON lines', `line ${number}: ${messageOf(cause)}`, cause)
    }
  }
  for await (const piece of text) {
    const lines = piece.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    if (rest.length > ITEM_BYTES)
      throw damagedAnswer(
        'JSON lines',
        `line ${number + lines.length + 1} is longer than ${ITEM_BYTES} characters`,
      )
    for (const line of lines) {
      const item = read(line)
      if (item !== undefined) yield item
    }
  }
  const last = read(rest)
  if (last !== undefined) yield last
}
