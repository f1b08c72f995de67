import * as z from 'zod'
import { hintAt } from '../../errors/did-you-mean.ts'

/** An object that refuses unknown keys and says which known key each was probably meant to be. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: issue => {
      if (issue.code !== 'unrecognized_keys') return undefined
      return issue.keys.map(key => `unknown key "${key}"${hintAt(key, Object.keys(shape))}`).join('; ')
    },
  })
