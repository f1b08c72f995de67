import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { z } from 'zod'
import { S3Error } from '../errors.ts'

/**
 * Reads an XML body into the shape of `schema`; every element is an array of what stood there, text is a string.
 *
 * Throws MalformedXML. A document type is refused, so there are no entities to blow up; the five that XML knows and
 * character references are decoded here, because the parser drops references to control characters, and then a request
 * to delete `a&#x1;` would delete `a`.
 */
export const parseXml = <Result>(text: string, schema: z.ZodType<Result>): Result => {
  if (/<!DOCTYPE/i.test(text) || XMLValidator.validate(text) !== true) throw new S3Error('MalformedXML')
  const parsed = schema.safeParse(decodeAll(parser.parse(text)))
  if (!parsed.success) throw new S3Error('MalformedXML')
  return parsed.data
}

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  isArray: () => true,
})

const decodeAll = (value: unknown): unknown => {
  if (typeof value === 'string') return decodeEntities(value)
  if (Array.isArray(value)) return value.map(decodeAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      // White space between elements, and text where only elements belong.
      .filter(([name]) => name !== '#text')
      .map(([name, inner]) => [name, decodeAll(inner)]),
  )
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (_, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) {
        const char = Object.hasOwn(named, name) ? named[name] : undefined
        if (char === undefined) throw new S3Error('MalformedXML')
        return char
      }
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      if (code > 0x10ffff) throw new S3Error('MalformedXML')
      return String.fromCodePoint(code)
    },
  )
