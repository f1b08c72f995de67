import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import { isSecretName } from '../detect/credentials.ts'

/** The settings of a foreign configuration as attributes of ours. */
export class Attributes {
  readonly values: Record<string, Json> = {}
  readonly #settings: Readonly<Record<string, Json>>
  readonly #secrets: ReadonlySet<string>

  /** `settings`: values by path, keys joined by dots; `secrets`: which of them are secret. Others are so by their names. */
  constructor(settings: Readonly<Record<string, Json>>, secrets: Iterable<string> = []) {
    this.#settings = settings
    this.#secrets = new Set(secrets)
  }

  /** The value of a setting when it is known and no secret. */
  known(path: string): Json | undefined {
    return this.isSecret(path) ? undefined : this.#settings[path]
  }

  /** An expression that reads a setting; its value, or an empty text to be filled in, is an attribute then. */
  read(path: string): { attr: string } {
    const name = nameOf(path, this.isSecret(path))
    this.values[name] = this.#settings[path] ?? ''
    return { attr: name }
  }

  /** A secret that was written out. */
  hide(name: string, value: Json): { attr: string } {
    const attribute = nameOf(name, true)
    this.values[attribute] = value
    return { attr: attribute }
  }

  isSecret(path: string): boolean {
    return (
      this.#secrets.has(path) ||
      isSecretName(path.split('.').at(-1) ?? '') ||
      /secret|password|token/i.test(path)
    )
  }
}

/** A dot would be read as a step of a path. */
const nameOf = (path: string, isSecret: boolean): string =>
  `${isSecret ? '#' : ''}${path.replace(/[^A-Za-z0-9_]+/g, '_')}`

/** Settings by path: keys joined by dots. */
export const flattened = (settings: JsonObject, path: readonly string[] = []): Record<string, Json> => {
  const flat: Record<string, Json> = {}
  for (const [key, value] of Object.entries(settings)) {
    if (isObject(value)) Object.assign(flat, flattened(value, [...path, key]))
    else flat[[...path, key].join('.')] = value
  }
  return flat
}
