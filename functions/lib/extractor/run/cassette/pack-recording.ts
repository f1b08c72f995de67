import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { UserError } from '#lib/errors/errors.ts'
import { pathInside } from '#lib/paths/path-inside.ts'

const packedFile = z.strictObject({ path: z.string(), base64: z.string() })

/**
 * A recording as one file: gzip of a line of JSON per file.
 *
 * @param limitBytes of all files together
 * @returns undefined when they are more
 */
export const packRecording = async (folder: string, limitBytes: number): Promise<Buffer | undefined> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines: string[] = []
  let bytes = 0
  for (const entry of entries.filter(each => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const content = await readFile(file)
    bytes += content.length
    if (bytes > limitBytes) return undefined
    const path = relative(folder, file).split(sep).join('/')
    lines.push(
      JSON.stringify({ path, base64: content.toString('base64') } satisfies z.infer<typeof packedFile>),
    )
  }
  return promisify(gzip)(lines.join('\n'))
}

/**
 * Writes the files of a packed recording.
 *
 * @throws UserError `extractor.recording.invalid`; `path.outside` for a file that leads out of the folder
 */
export const unpackRecording = async (packed: Buffer, folder: string): Promise<void> => {
  const text = await promisify(gunzip)(packed).catch((cause: unknown) => {
    throw invalid(cause)
  })
  for (const line of text.toString('utf8').split('\n')) {
    const { path, base64 } = readLine(line)
    const file = pathInside(folder, ...path.split('/'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, Buffer.from(base64, 'base64'))
  }
}

const readLine = (line: string): z.infer<typeof packedFile> => {
  try {
    return packedFile.parse(JSON.parse(line))
  } catch (cause) {
    throw invalid(cause)
  }
}

const invalid = (cause: unknown): UserError =>
  new UserError('extractor.recording.invalid', 'The file is no packed recording.', { cause })
