import * as z from 'zod'
import { didYouMean } from './did-you-mean.ts'

/** An object that refuses unknown keys and says which known key each was probably meant to be. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: issue => {
      if (issue.code !== 'unrecognized_keys') return undefined
      return issue.keys.map(key => describeUnknownKey(key, Object.keys(shape))).join('; ')
    },
  })

export const describeUnknownKey = (key: string, known: readonly string[]): string => {
  const meant = didYouMean(key, known)
  return `unknown key "${key}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`
}
