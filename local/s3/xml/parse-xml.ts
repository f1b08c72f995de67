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
  for (let at = 0; at < text.length; at += pieceLength) {
    if (at > 0) await nextTurn()
    parser.write(text.slice(at, at + pieceLength).replace(control, asReference))
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
  const parser = new SaxesParser({ position: false, forceXMLVersion: true, defaultXMLVersion: '1.1' })
  const refuse = (): never => {
    throw malformed()
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  // No client writes it, and its references would be text.
  parser.on('cdata', refuse)
  parser.on('opentag', () => {
    if (++elements > maxElements || open.push(newElement()) > maxDepth + 1) refuse()
  })
  parser.on('text', text => {
    const element = open.at(-1)
    // Text between elements is only layout.
    if (!element || element.hasChildren) return
    if (element.text.length + text.length > maxTextLength) refuse()
    element.text += text
  })
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

/*
 * Clients write control characters as they are or as references, and a request to delete `a&#x1;` must delete that key and no
 * other. XML 1.1 takes the references, and would make line ends of two characters that are none in 1.0.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const control = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028]/g
const asReference = (char: string): string => `&#${char.charCodeAt(0)};`
