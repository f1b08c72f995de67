import { setImmediate as nextTurn } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import type { z } from 'zod'
import { S3Error } from '../errors.ts'

/** Child elements by name, in order. An element without children is its text. */
interface Elements {
  [name: string]: (Elements | string)[]
}

interface OpenElement {
  readonly children: Elements
  hasChildren: boolean
  text: string
}

// Requests to S3 are at most four elements deep; the longest text is a key of 1,024 bytes, each byte a reference.
const maxDepth = 8
const maxTextLength = 16 * 1024
/** Some milliseconds of work; between two such pieces other requests are served. */
const pieceLength = 8 * 1024

/**
 * Reads an XML body into the shape of `schema`; every element is an array of its occurrences, text is a string.
 * Attributes, comments, processing instructions and text between elements are ignored.
 *
 * Throws MalformedXML for what is not well-formed or not of that shape, for more than `maxElements` elements, too much
 * depth, long texts and a document type (so entities cannot expand).
 */
export const parseXml = async <Result>(
  text: string,
  schema: z.ZodType<Result>,
  { maxElements }: { maxElements: number },
): Promise<Result> => {
  const { parser, document } = openParser(maxElements)
  for (let at = 0; at < text.length; ) {
    if (at > 0) await nextTurn()
    const end = endOfPiece(text, at)
    parser.write(text.slice(at, end).replace(control, nameControl))
    at = end
  }
  parser.close()
  const parsed = schema.safeParse(document.children)
  if (!parsed.success) throw malformed()
  return parsed.data
}

const openParser = (maxElements: number): { parser: SaxesParser; document: OpenElement } => {
  const document = newElement()
  const open = [document]
  let elements = 0
  const parser = new SaxesParser({ position: false })
  Object.assign(parser.ENTITIES, controls)
  const refuse = (): never => {
    throw malformed()
  }
  const addText = (text: string): void => {
    const element = open.at(-1)
    // Text between elements is only layout.
    if (!element || element.hasChildren) return
    if (element.text.length + text.length > maxTextLength) refuse()
    element.text += text
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('opentag', () => {
    if (++elements > maxElements || open.push(newElement()) > maxDepth + 1) refuse()
  })
  parser.on('text', addText)
  parser.on('cdata', text => (namedControl.test(text) ? refuse() : addText(text)))
  parser.on('closetag', ({ name }) => {
    const element = open.pop()
    const parent = open.at(-1)
    if (!element || !parent) return
    parent.hasChildren = true
    parent.children[name] ??= []
    parent.children[name].push(element.hasChildren ? element.children : element.text)
  })
  return { parser, document }
}

const malformed = () => new S3Error('MalformedXML')

/** Its children have no prototype: an element may have any name. */
const newElement = (): OpenElement => ({ children: Object.create(null), hasChildren: false, text: '' })

/** A piece ends with a bracket, so that it cuts no reference. */
const endOfPiece = (text: string, start: number): number => {
  const bracket = text.indexOf('>', start + pieceLength)
  const end = bracket === -1 ? text.length : bracket + 1
  if (end - start > pieceLength + 2 * maxTextLength) throw malformed()
  return end
}

/*
 * XML 1.0 forbids control characters, and clients write them, as they are or as references: a request to delete
 * `a&#x1;` must delete that key and no other. So each is read as an entity of a name of ours, which only CDATA shows.
 */
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#(?:x0*([01]?[\da-f]|fff[ef])|0*([12]?\d|3[01]|6553[45]));/gi

const nameControl = (char: string, hex?: string, decimal?: string): string =>
  `&control.${hex ? Number.parseInt(hex, 16) : (decimal ?? char.charCodeAt(0))};`

const namedControl = /&control\.\d+;/

const controls = Object.fromEntries(
  [...Array.from({ length: 32 }, (_, code) => code), 0xfffe, 0xffff].map(code => [
    `control.${code}`,
    String.fromCharCode(code),
  ]),
)
