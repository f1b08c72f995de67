import type { JsonSchema } from '../../functions/lib/extractor/samples/keys-of-schema.ts'

/** The type of a key in the words of the reference. */
export const typeOf = (schema: JsonSchema): string => {
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (options.length > 0) return typeOfUnion(options)
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.$ref !== undefined) return 'job'
  if (schema.format === 'uri') return 'address'
  const types = [schema.type ?? []].flat()
  // Text may be written as a number: it counts by its digits
  if (types.includes('string')) return 'text'
  if (types.includes('array')) return listOf(schema.items ?? {})
  return types[0] ?? 'any'
}

const typeOfUnion = (options: JsonSchema[]): string => {
  if (options.some(({ enum: values }) => values?.includes(''))) return 'switch'
  const isTextOfNumber = ({ pattern }: JsonSchema): boolean => pattern?.includes('\\d+') === true
  const types = options.filter(option => !isTextOfNumber(option)).map(typeOf)
  return [...new Set(types)].join(' or ')
}

const listOf = (items: JsonSchema): string => {
  const item = typeOf(items)
  if (item === 'any') return 'list'
  return `list of ${item}${item.endsWith('s') ? 'es' : 's'}`
}
