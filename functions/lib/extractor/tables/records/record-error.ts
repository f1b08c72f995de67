import { UserError } from '#lib/errors/errors.ts'

/** A field would take the place of another, whose values would be lost. */
export const nameTaken = (step: string, name: string): UserError =>
  new UserError(
    'extractor.records.nameTaken',
    `"${step}" gives a field "${name}", and the row has one of that name already: rename or remove one of them first.`,
    { params: { field: name } },
  )
