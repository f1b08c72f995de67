import { setImmediate as nextTurn } from 'node:timers/promises'
import { S3Error } from '../errors.ts'
import { decodeEntities } from './decode-entities.ts'

/** Child elements by name, in order. An element without children is its text. */
interface Elements {
  [name: string]: (Elements | string)[]
}

interface OpenElement {
  readonly name: string
  readonly children: Elements
  hasChildren: boolean
  text: string
}

// Requests to S3 are at most four elements deep; the longest text is a key of 1,024 bytes, each byte a reference.
const maxDepth = 8
const maxTextLength = 16 * 1024
const maxTagLength = 512
/** Some milliseconds of work; between two such pieces other requests are served. */
const tokensAtOnce = 2_000

const tag = /^<(\/?)([A-Za-z_][\w.:-]*)(?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>$/

/**
 * Reads an XML document. Ignores attributes, comments, processing instructions and text between elements.
 *
 * Not a library: those read a whole document at once, and some megabytes of small elements, references or brackets would
 * block every other request for seconds. This reads each character once, pauses for other requests, and stops early: it
 * throws MalformedXML for more than `maxElements`, too much depth, long tags and texts, a document type (so entities
 * cannot expand), and malformed XML.
 */
export const readElements = async (text: string, maxElements: number): Promise<Elements> => {
  const document: OpenElement = { name: '', children: newElements(), hasChildren: false, text: '' }
  const open = [document]
  let elements = 0
  let tokens = 0
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; ) {
    if (++tokens % tokensAtOnce === 0) await nextTurn()
    const current = open.at(-1) ?? document
    const start = text.indexOf('<', at)
    addText(current, decodeEntities(text.slice(at, start === -1 ? text.length : boundedEnd(at, start))))
    if (start === -1) break

    if (text.startsWith('<!--', start)) at = after(text, '-->', start + '<!--'.length)
    else if (text.startsWith('<?', start)) at = after(text, '?>', start)
    else if (text.startsWith('<![CDATA[', start)) {
      at = after(text, ']]>', start)
      addText(current, text.slice(start + '<![CDATA['.length, boundedEnd(start, at - ']]>'.length)))
    } else {
      at = after(text, '>', start)
      if (at - start > maxTagLength) throw malformed()
      const [, slash, name = '', selfClosing] = tag.exec(text.slice(start, at)) ?? []
      if (name === '') throw malformed()
      if (slash) close(open, name)
      else {
        if (++elements > maxElements || open.length > maxDepth) throw malformed()
        open.push({ name, children: newElements(), hasChildren: false, text: '' })
        if (selfClosing) close(open, name)
      }
    }
  }
  const [root, ...others] = Object.values(document.children)
  const isOneRoot = root?.length === 1 && others.length === 0
  if (!isOneRoot || open.length > 1) throw malformed()
  return document.children
}

const malformed = () => new S3Error('MalformedXML')

/** No prototype: an element may have any name. */
const newElements = (): Elements => Object.create(null)

/** Remembers what was not found, so that the whole stays linear. */
const after = (text: string, end: string, from: number): number => {
  const found = text.indexOf(end, from)
  if (found === -1) throw malformed()
  return found + end.length
}

const boundedEnd = (start: number, end: number): number => {
  if (end - start > 2 * maxTextLength) throw malformed()
  return end
}

const addText = (element: OpenElement, text: string): void => {
  if (element.name === '' && text.trim() !== '') throw malformed()
  // Text between elements is only layout.
  if (element.hasChildren) return
  if (element.text.length + text.length > maxTextLength) throw malformed()
  element.text += text
}

const close = (open: OpenElement[], name: string): void => {
  const element = open.pop()
  const parent = open.at(-1)
  if (!element || !parent || element.name !== name) throw malformed()
  parent.hasChildren = true
  parent.children[name] ??= []
  parent.children[name].push(element.hasChildren ? element.children : element.text)
}
