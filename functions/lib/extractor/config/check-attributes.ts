import { didYouMean } from '../../errors/did-you-mean.ts'
import { UserError } from '../../errors/errors.ts'
import { isExpression, parseExpression } from '../functions/expression/parse-expression.ts'
import { type ConfigFile, configKeys } from './config-schema.ts'

/**
 * `config` may hold any attribute, so a misspelt option there cannot be told from one by its name alone. It is refused
 * when it looks like a known key and nothing in the configuration reads it.
 */
export const checkAttributes = (file: ConfigFile): void => {
  const { config } = file.parameters
  const references = new Set(attributeReferences(file))
  // Credentials of basic authentication are read by name, not by reference
  const readByName = new Set(['username', 'password', '#username', '#password'])
  for (const key of Object.keys(config)) {
    if (configKeys.includes(key) || readByName.has(key) || references.has(key)) continue
    const meant = didYouMean(key, configKeys)
    if (meant === undefined) continue
    throw new UserError(
      'extractor.config.invalid',
      `Invalid configuration: unknown key "${key}" at parameters.config (did you mean "${meant}"?)`,
    )
  }
}

/** The first step of every path that an `attr` reference names. */
function* attributeReferences(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  if (isExpression(value)) {
    parseExpression(value.expr) // refused here when it cannot be read
    yield* value.expr.match(/#?\w+/g) ?? []
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'attr' && typeof inner === 'string') {
      yield inner
      yield inner.split('.')[0] ?? inner
    }
    yield* attributeReferences(inner)
  }
}
