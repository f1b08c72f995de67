import { XMLBuilder } from 'fast-xml-parser'

/** Elements by name, in order. An array repeats its element; undefined leaves it out. */
export interface XmlNode {
  [element: string]: XmlValue
}

type XmlValue = string | number | boolean | undefined | XmlNode | readonly (string | XmlNode)[]

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressBooleanAttributes: false,
})

export const buildXml = (root: string, content: XmlNode, namespace?: string): string =>
  declaration +
  escapeControls(
    builder.build({ [root]: { ...(namespace === undefined ? {} : { '@xmlns': namespace }), ...content } }),
  )

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

// Keys may hold characters that XML 1.0 forbids. S3 writes them as references, and careful clients ask for
// encoding-type=url. A carriage return must be a reference, or it would be read as a line feed.
const escapeControls = (xml: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  xml.replace(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/g, char => `&#x${char.charCodeAt(0).toString(16)};`)
