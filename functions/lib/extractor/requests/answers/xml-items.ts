import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { ITEM_BYTES, XML_REST_BYTES } from '../../config/answer-limits.ts'
import { damagedAnswer, messageOf } from './answer-error.ts'

/** As deep as tables can be made of. */
const MAX_DEPTH = 512

interface XmlOptions {
  /** Names of the elements from the root to an item. */
  path: readonly string[]
  /** Paths below an item that are lists also where the element is there once. */
  lists: readonly string[]
  /** Paths below an item whose elements are objects also where they have only text. */
  objects: readonly string[]
  /** Called at the end with what stands outside of the items, such as the token of a next page. */
  onRest: (rest: Json) => void
}

interface Open {
  name: string
  value: JsonObject
  text: string
  /** Its path below the item that it is in; empty for the item itself. */
  belowItem: string | undefined
}

/**
 * The elements at a path as items, one after the other. An element with only text is that text; else an object of its attributes
 * (`@name`), its elements by name (several of one name are a list) and its text (`#text`).
 *
 * Entities that a document declares itself are refused, so none can grow or read a file.
 *
 * @throws UserError `extractor.response.damaged` for what is not well-formed, thus also for a document that was cut off
 */
export async function* xmlItems(
  text: AsyncIterable<string>,
  { path, lists, objects, onRest }: XmlOptions,
): AsyncGenerator<Json> {
  const parser = new SaxesParser()
  const wanted = path.join('/')
  const isList = asPaths(lists)
  const isObject = asPaths(objects)
  const stack: Open[] = []
  const names: string[] = []
  let found: Json[] = []
  let heldBytes = 0 // of the item, or of all that is outside of items
  let restBytes = 0

  const hold = (bytes: number, inItem: boolean): void => {
    if (inItem) heldBytes += bytes
    else restBytes += bytes
    if (heldBytes > ITEM_BYTES) throw damagedAnswer('XML', `an item is larger than ${ITEM_BYTES} bytes`)
    if (restBytes > XML_REST_BYTES)
      throw damagedAnswer(
        'XML',
        `more than ${XML_REST_BYTES} bytes stand outside of the items at "${path.join('.')}" ("dataField")`,
      )
  }

  parser.on('error', error => {
    throw damagedAnswer('XML', messageOf(error), error)
  })
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    if (names.push(name) > MAX_DEPTH) throw damagedAnswer('XML', `it is nested more than ${MAX_DEPTH} deep`)
    const parent = stack.at(-1)
    const isItem = parent?.belowItem === undefined && names.join('/') === wanted
    if (isItem) heldBytes = 0
    const belowItem = isItem
      ? ''
      : parent?.belowItem === undefined
        ? undefined
        : below(parent.belowItem, name)
    const value: JsonObject = Object.create(null)
    for (const [attribute, given] of Object.entries(attributes)) value[`@${attribute}`] = given
    hold(name.length + JSON.stringify(attributes).length, belowItem !== undefined)
    stack.push({ name, value, text: '', belowItem })
  })
  const addText = (piece: string): void => {
    const open = stack.at(-1)
    if (open === undefined) return
    hold(piece.length, open.belowItem !== undefined)
    open.text += piece
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const closed = stack.pop()
    names.pop()
    if (closed === undefined) return
    const value = valueOfElement(closed, isObject.has(closed.belowItem ?? ''))
    const parent = stack.at(-1)
    if (closed.belowItem === '') found.push(value)
    else if (parent === undefined) onRest({ [closed.name]: value })
    else add(parent.value, closed.name, value, isList.has(closed.belowItem ?? ''))
  })

  for await (const piece of text) {
    parser.write(piece)
    yield* found
    found = []
  }
  parser.close()
  yield* found
}

const asPaths = (written: readonly string[]): Set<string> =>
  new Set(written.map(path => path.split('.').join('/')))

const below = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`)

const valueOfElement = ({ value, text }: Open, isObject: boolean): Json => {
  const said = text.trim() === '' ? '' : text
  if (Object.keys(value).length === 0 && !isObject) return said
  return said === '' ? value : { ...value, '#text': said }
}

const add = (parent: JsonObject, name: string, value: Json, isList: boolean): void => {
  const before = parent[name]
  if (Array.isArray(before)) before.push(value)
  else if (before !== undefined) parent[name] = [before, value]
  else parent[name] = isList ? [value] : value
}
