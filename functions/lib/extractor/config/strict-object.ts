import * as z from 'zod'
import { hintAt } from '../../errors/did-you-mean.ts'
import { goneSentence } from './gone-keys.ts'

/**
 * An object that refuses unknown keys and says which known key each was probably meant to be.
 *
 * @param advice by key, what to write instead of a key that is often tried here
 * @param gone by key, what serves instead of one that went here, and has a meaning elsewhere
 */
export const strictObject = <Shape extends z.ZodRawShape>(
  shape: Shape,
  {
    advice = {},
    gone: goneHere = {},
  }: { advice?: Readonly<Record<string, string>>; gone?: Readonly<Record<string, string>> } = {},
) =>
  z.strictObject(shape, {
    error: issue => {
      if (issue.code !== 'unrecognized_keys') return undefined
      return issue.keys
        .map(key => {
          const gone = goneSentence(key, goneHere)
          if (gone !== undefined) return gone
          const hint = Object.hasOwn(advice, key) ? ` (${advice[key]})` : hintAt(key, Object.keys(shape))
          return `unknown key "${key}"${hint}`
        })
        .join('; ')
    },
  })
