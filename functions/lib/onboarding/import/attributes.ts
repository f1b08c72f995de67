import type { Expression } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import { valueAtKeys } from '#lib/extractor/values/select/json-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { isSecretName } from '../detect/credentials.ts'
import { member } from './translate.ts'

/** The settings of a foreign configuration as attributes of ours. */
export class Attributes {
  readonly values: Record<string, Json> = {}
  readonly #settings: Readonly<Record<string, Json>>
  readonly #secrets: ReadonlySet<string>
  readonly #optional: ReadonlySet<string>
  readonly #declared: ReadonlySet<string>

  /** `settings`: values by path, keys joined by dots; `secrets`: which of them are secret, others are so by their names; `optional`: which may be left out; `declared`: all that a person is asked for, where that is known. */
  constructor(
    settings: Readonly<Record<string, Json>>,
    secrets: Iterable<string> = [],
    optional: Iterable<string> = [],
    declared: Iterable<string> = [],
  ) {
    this.#settings = settings
    this.#secrets = new Set(secrets)
    this.#optional = new Set(optional)
    this.#declared = new Set(declared)
  }

  /**
   * A setting by its keys: its value when it is known and no secret, nothing when it was left out and may be, an attribute otherwise. A
   * setting may be a list or an object, of which the last keys are members. With `hasDefault` any but a secret may be left out.
   */
  setting(keys: readonly string[], hasDefault = false): Expression {
    for (let length = keys.length; length > 0; length--) {
      const path = keys.slice(0, length).join('.')
      if (this.#settings[path] === undefined) continue
      const rest = keys.slice(length)
      if (this.isSecret(path)) return member('attr', [this.read(path).attr, ...rest])
      return { kind: 'value', value: valueAtKeys(rest, this.#settings[path]) ?? null }
    }
    const path = keys.join('.')
    const inner = Object.keys(this.#settings).filter(key => key.startsWith(`${path}.`))
    if (inner.length > 0)
      return {
        kind: 'value',
        value: Object.fromEntries(
          inner.map(key => [key.slice(path.length + 1), this.#settings[key] ?? null]),
        ),
      }
    const isOptional =
      this.#optional.has(path) || this.#isUnknown(path) || (hasDefault && !this.isSecret(path))
    return isOptional ? { kind: 'value', value: null } : member('attr', [this.read(path).attr])
  }

  /** Nobody is asked for it, so it has no value. */
  #isUnknown(path: string): boolean {
    return this.#declared.size > 1 && !this.#declared.has(path)
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
      (/secret|password|token/i.test(path) && !/(endpoint|url|uri|path|type|host)$/i.test(path))
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
