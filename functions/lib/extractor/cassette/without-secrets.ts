import { createMasker, type Masker } from '../masking/masker.ts'
import { secretsOf } from '../masking/secrets-of.ts'

/**
 * A value without the secrets of a configuration: each is `***`. A configuration runs in this form as the real one does against recorded
 * answers: a text that holds JSON, as the OAuth broker stores it, keeps its form.
 */
export const withoutSecretsOf = (config: unknown, value: unknown): unknown =>
  maskWith(value, createMasker(secretsOf(config).values()))

const maskWith = (value: unknown, masker: Masker): unknown => {
  if (typeof value === 'string') return maskText(value, masker)
  if (Array.isArray(value)) return value.map(item => maskWith(item, masker))
  if (typeof value !== 'object' || value === null) return masker.maskAll(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskWith(inner, masker)]))
}

const maskText = (text: string, masker: Masker): string => {
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.stringify(maskWith(JSON.parse(text), masker))
    } catch {
      // not JSON after all
    }
  }
  return masker.mask(text)
}
