/** Elements by name, in order; `@name` is an attribute. An array repeats its element; undefined leaves it out. */
export interface XmlNode {
  [element: string]: XmlValue
}

type XmlValue = string | number | boolean | undefined | XmlNode | readonly (string | XmlNode)[]

export const buildXml = (root: string, content: XmlNode, namespace?: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${buildElement(root, { '@xmlns': namespace, ...content })}`

const buildElement = (name: string, value: XmlValue): string => {
  if (value === undefined) return ''
  if (isList(value)) return value.map(one => buildElement(name, one)).join('')
  if (typeof value !== 'object') return `<${name}>${escapeXml(value)}</${name}>`
  let attributes = ''
  let children = ''
  for (const [key, child] of Object.entries(value))
    if (!key.startsWith('@')) children += buildElement(key, child)
    else if (child !== undefined) attributes += ` ${key.slice(1)}="${escapeXml(child)}"`
  return `<${name}${attributes}>${children}</${name}>`
}

const isList = (value: XmlValue): value is readonly (string | XmlNode)[] => Array.isArray(value)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/**
 * Keys may hold characters that XML 1.0 forbids. S3 writes them as references, and careful clients ask for
 * encoding-type=url. A carriage return must be a reference, or it would be read as a line feed.
 */
const escapeXml = (value: XmlValue): string =>
  String(value).replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    /[&<>"'\x00-\x08\x0b-\x1f\ufffe\uffff]/g,
    char => entities[char] ?? `&#x${char.charCodeAt(0).toString(16)};`,
  )
