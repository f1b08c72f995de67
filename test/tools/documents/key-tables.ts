import {
  type JsonSchema,
  keysOf,
  withoutMethod,
} from '../../functions/lib/extractor/samples/keys-of-schema.ts'
import { configurationSchema } from './component-schema.ts'
import { typeOf } from './type-of.ts'

const START = /^<!-- keys: (.*) -->$/
const END = '<!-- end of keys -->'

export const knownSchema = configurationSchema() as JsonSchema // what zod writes

/** As paths are written in the documents. */
export const shortPath = (path: string): string => withoutMethod(path).replace(/^parameters\./, '')

/** The keys of a configuration by path, as `npm run reference` lists them: `api.http` is that of `parameters`. */
export const documentedKeys = new Map([...keysOf(knownSchema)].map(([path, key]) => [shortPath(path), key]))

/** The blocks of a document: `<!-- keys: api.http -->` up to its end. */
export const blocksIn = (markdown: string): string[] =>
  markdown.split('\n').flatMap(line => START.exec(line)?.[1] ?? [])

/** Which block lists a key: the longest one that it lies below. */
export const blockOf = (path: string, blocks: readonly string[]): string | undefined =>
  blocks
    .filter(block => (block === 'config.json' ? !path.startsWith('(') : path.startsWith(`${block}.`)))
    .sort((a, b) => (a === 'config.json' ? 0 : a.length) - (b === 'config.json' ? 0 : b.length))
    .at(-1)

/** The document with the tables of its blocks made anew from the schema. */
export const withKeyTables = (markdown: string, blocks: readonly string[]): string => {
  const lines: string[] = []
  let isInside = false
  for (const line of markdown.split('\n')) {
    const block = START.exec(line)?.[1]
    if (line === END) isInside = false
    if (!isInside) lines.push(line)
    if (block === undefined) continue
    isInside = true
    lines.push(...tableOf(block, blocks))
  }
  if (isInside) throw new Error(`"${END}" is missing`)
  return lines.join('\n')
}

const tableOf = (block: string, blocks: readonly string[]): string[] => [
  '| key | type | default | meaning |',
  '| --- | --- | --- | --- |',
  ...[...documentedKeys]
    .filter(([path]) => blockOf(path, blocks) === block)
    .map(([path, { schema, isRequired }]) => {
      const name = block === 'config.json' ? path : path.slice(block.length + 1)
      const fallback = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``
      const cells = [
        `\`${name}\``,
        typeOf(schema),
        isRequired ? 'required' : fallback,
        schema.description ?? '',
      ]
      return `| ${cells.map(text => text.replaceAll('|', '\\|')).join(' | ')} |`
    }),
]
