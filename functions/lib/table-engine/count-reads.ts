import type { TableFiles } from './files/table-files.ts'

/** The same files, and how many bytes of tables were read through them. */
export const countReads = (files: TableFiles): { files: TableFiles; bytesRead: () => number } => {
  let read = 0
  return {
    files: {
      ...files,
      readRange: async function* (key, range) {
        for await (const bytes of files.readRange(key, range)) {
          read += bytes.length
          yield bytes
        }
      },
    },
    bytesRead: () => read,
  }
}
