import { randomInt } from 'node:crypto'
import type { SecretProperties } from '../resources/secret.ts'

type Generator = NonNullable<SecretProperties['GenerateSecretString']>

/** Secrets Manager API Reference, "GetRandomPassword". */
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
const lowercase = 'abcdefghijklmnopqrstuvwxyz'

/** A value as `GenerateSecretString` describes it: a random text, or a JSON template with the text under a key. */
export const generateSecret = (generator: Generator): string => {
  const groups = [
    generator.ExcludeLowercase ? '' : lowercase,
    generator.ExcludeUppercase ? '' : lowercase.toUpperCase(),
    generator.ExcludeNumbers ? '' : '0123456789',
    generator.ExcludePunctuation ? '' : punctuation,
    generator.IncludeSpace ? ' ' : '',
  ]
  const excluded = new Set(generator.ExcludeCharacters)
  const alphabet = [...groups.join('')].filter(character => !excluded.has(character))
  if (alphabet.length === 0) throw new Error('GenerateSecretString excludes every character')
  const text = Array.from(
    { length: generator.PasswordLength },
    () => alphabet[randomInt(alphabet.length)],
  ).join('')

  const { SecretStringTemplate, GenerateStringKey } = generator
  if (SecretStringTemplate === undefined || GenerateStringKey === undefined) return text
  return JSON.stringify({ ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: text })
}
