import { S3Error } from '../errors.ts'

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * The five entities of XML, and character references. Control characters too, although XML forbids them: clients write
 * them, and a request to delete `a&#x1;` must not delete `a`.
 */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi,
        (_, hex?: string, decimal?: string, name?: string) =>
          name === undefined
            ? decodeCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
            : decodeName(name),
      )
    : text

const decodeName = (name: string): string => {
  const char = Object.hasOwn(named, name) ? named[name] : undefined
  if (char === undefined) throw new S3Error('MalformedXML')
  return char
}

const decodeCode = (code: number): string => {
  if (code > 0x10ffff) throw new S3Error('MalformedXML')
  return String.fromCodePoint(code)
}
