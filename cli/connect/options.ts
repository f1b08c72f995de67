import { UserError } from '../../functions/lib/errors/errors.ts'

/** Reads a whole number of an option. */
export const wholeNumber = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UserError('cli.usage', `"${text}" is not a whole number.`)
}

export const commaList = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean)

export const segment = (text: string): string => encodeURIComponent(text)
