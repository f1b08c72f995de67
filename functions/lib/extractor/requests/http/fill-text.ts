import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { toText } from '../../values/php/php-values.ts'

/** `{name}` becomes the value of that name, as it is; `used` are the names that the text has. */
export const fillText = (
  text: string,
  values: Readonly<Record<string, Json>>,
): { text: string; used: Set<string> } => {
  const used = new Set<string>()
  const filled = text.replace(/\{([^{}\s]+)\}/g, (written, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined || Array.isArray(value) || isObject(value)) return written
    used.add(name)
    return toText(value)
  })
  return { text: filled, used }
}
