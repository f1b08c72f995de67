/**
 * What a place in a configuration holds: nothing secret, a secret, or a literal argument of a function below a `#` key,
 * which is a secret too.
 */
export type Secrecy = 'clear' | 'secret' | 'argument'

/**
 * What the member `key` of an object holds. Everything below a `#` key is secret except names in the extractor's
 * expressions: `{ "attr": "#token" }` names an attribute, `{ "function": "concat", "args": [...] }` a function.
 */
export const secrecyOf = (key: string, object: object, around: Secrecy): Secrecy => {
  if (key.startsWith('#')) return 'secret'
  if (around === 'clear') return 'clear'
  if ('function' in object && typeof object.function === 'string') {
    if (key === 'function') return 'clear'
    return key === 'args' ? 'argument' : around
  }
  return isReference(object, around) ? 'clear' : around
}

/** Contexts that arguments may refer to. Anywhere else such a key has no special meaning. */
const contexts = /^(attr|time|response|consumer|user|authorization|query|request|parent\d*)$/

const isReference = (object: object, around: Secrecy): boolean => {
  const [only, ...others] = Object.entries(object)
  if (only === undefined || others.length > 0 || typeof only[1] !== 'string') return false
  return only[0] === 'attr' || (around === 'argument' && contexts.test(only[0]))
}
