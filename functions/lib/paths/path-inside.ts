import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../errors/errors.ts'

/** Longest name of a file on the usual file systems (NAME_MAX of Linux). */
const MAX_NAME_BYTES = 255

/** Whether a text can name one file in a folder and nothing else, on any system. */
export const isFileName = (text: string, maxBytes = MAX_NAME_BYTES): boolean =>
  text !== '' &&
  text !== '.' &&
  text !== '..' &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  !/[/\\\u0000-\u001f\u007f]/.test(text) &&
  text.isWellFormed() &&
  Buffer.byteLength(text) <= maxBytes

/**
 * The path of a file in `folder`, one name for each level below it. Every path that is made of text from outside
 * (configurations, checkpoints, services) comes from here, so none leads out of its folder: not by `..`, not by an
 * absolute name, not by a link that lies there.
 *
 * @throws UserError `path.outside` naming the text
 */
export const pathInside = (folder: string, ...names: readonly string[]): string => {
  let path = folder
  for (const name of names.length === 0 ? [''] : names) {
    if (!isFileName(name)) throw refused(name, 'is not the name of a file')
    path = join(path, name)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw refused(name, 'is a link, and may lead out of its folder')
  }
  return path
}

const refused = (name: string, reason: string): UserError => {
  const shown = name.length > 100 ? `${name.slice(0, 100)}...` : name
  return new UserError('path.outside', `${JSON.stringify(shown)} ${reason}`, { params: { name: shown } })
}
