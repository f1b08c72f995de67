import type { Json } from '#lib/json/json-value.ts'
import { cellText, isScalar } from './cell.ts'

/** PHP's `var_export`, as in Generic Extractor's message about an object in a column. */
export const phpVarExport = (value: Json, indent = ''): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return `${value}`
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (isScalar(value)) return cellText(value, true)
  if (Array.isArray(value)) {
    return lines(
      'array (',
      indent,
      '  ',
      value.map((item, i) => [`${i}`, item]),
    )
  }
  // A key of the object is there.
  return lines(
    '(object) array(',
    indent,
    '   ',
    Object.keys(value).map(key => [phpVarExport(key), value[key] as Json]),
  )
}

const lines = (
  open: string,
  indent: string,
  step: string,
  entries: readonly (readonly [string, Json])[],
): string => {
  const body = entries.map(([key, value]) => {
    const isNested = typeof value === 'object' && value !== null && !isScalar(value)
    const text = phpVarExport(value, `${indent}  `)
    return `${indent}${step}${key} => ${isNested ? `\n${indent}  ` : ''}${text},\n`
  })
  return `${open}\n${body.join('')}${indent})`
}
