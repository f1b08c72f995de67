import { commaList } from './fields.ts'

/**
 * The query parameter `include`: a comma list of these names. An absent parameter means `byDefault`, an empty one
 * (`include=`) nothing at all. Any other name is refused, and the message lists those that exist.
 */
export const includeOf = <const Name extends string>(
  names: readonly Name[],
  byDefault: readonly NoInfer<Name>[] = [],
) =>
  commaList()
    .superRefine((given, context) => {
      const unknown = given.filter(name => !names.some(known => known === name))
      if (unknown.length === 0) return
      context.addIssue({
        code: 'custom',
        message:
          `Invalid include parameters: "${unknown.join(', ').slice(0, 200)}". ` +
          `Only following are allowed: ${names.join(', ')}.`,
      })
    })
    .default([...byDefault])
